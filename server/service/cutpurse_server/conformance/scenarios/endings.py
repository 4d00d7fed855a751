"""How a program ends, and how it begins again."""

from __future__ import annotations

import grpc

from cutpurse.v1 import bot_pb2
from cutpurse_server.conformance.program import Program
from cutpurse_server.conformance.relay import Line, LineEnded, Script
from cutpurse_server.conformance.scenario import Scenario, Shortcoming
from cutpurse_server.conformance.stage import START_S, Stage

__all__ = ["ENDINGS"]

_REFUSED_S = 10.0
_DIALS_MAX = 3
_GOODBYE_S = 3.0
_GOOD_CODES = frozenset({0, 130, 143, -15})
"""Done; or ended by the signal, as a shell or the system tells it."""


async def _wrong_token(stage: Stage) -> None:
    await stage.launch(token="this-token-was-never-issued")
    await _ends_refused(stage, "a token that the service does not know")


class _Refuses(Script):
    """Speaks another version of the protocol."""

    async def from_bot(self, line: Line, frame: bot_pb2.ConnectRequest) -> None:
        text = "This service speaks protocol version 2, not 1."
        raise LineEnded(grpc.StatusCode.FAILED_PRECONDITION, "PROTOCOL_UNSUPPORTED", text)


async def _other_version(stage: Stage) -> None:
    stage.relay.script = _Refuses()
    await stage.launch()
    await _ends_refused(stage, "a service that does not speak its protocol version")


async def _ends_refused(stage: Stage, what: str) -> None:
    ledger = stage.ledger
    await stage.until(lambda: ledger.dials != [] or _code(stage) is not None, "it had not dialled in", START_S)
    code = await stage.ended(_REFUSED_S)
    dials = len(ledger.dials)
    if code is None:
        raise Shortcoming(f"it did not end with {what}, and dialled in {dials} times in {_REFUSED_S:g} s")
    if code == 0:
        raise Shortcoming(f"it ended with exit code 0, as if all were well, with {what}")
    if dials > _DIALS_MAX:
        raise Shortcoming(f"it dialled in {dials} times before it ended with {what}")


async def _is_terminated(stage: Stage) -> None:
    await stage.arrive()
    await stage.play()
    await _terminate(stage, "while it waited for a match")
    match = "unfinished"
    stage.opponents.silent.add(match)
    await stage.arrive()
    await stage.begin(match=match)
    await stage.until(lambda: match in stage.ledger.readies, "it had not said Ready")
    await _terminate(stage, "in the middle of a match")


async def _terminate(stage: Stage, when: str) -> None:
    program = stage.program
    assert program is not None, "it was launched"
    program.terminate()
    code = await stage.ended(_GOODBYE_S)
    if code is None:
        raise Shortcoming(f"{_GOODBYE_S:g} s after SIGTERM, {when}, it was still running")
    if code not in _GOOD_CODES:
        raise Shortcoming(f"on SIGTERM, {when}, it ended with {program.ending}")


class _HeldBack(Script):
    """Keeps decisions from the bot while it is on."""

    def __init__(self) -> None:
        self.on = False
        self.held = 0

    async def from_service(self, line: Line, frame: bot_pb2.ConnectResponse) -> None:
        if self.on and frame.decisions:
            self.held += 1
            del frame.decisions[:]
        await line.tell_bot(frame)


async def _is_killed(stage: Stage) -> None:
    script = _HeldBack()
    stage.relay.script = script
    await stage.arrive()
    match = await stage.begin()
    await stage.until(lambda: stage.ledger.answers != [], "it had not answered its first decision")
    script.on = True
    await stage.until(lambda: script.held > 0, "it had not come to a further decision")
    assert stage.program is not None
    await stage.program.end()
    script.on = False
    await stage.arrive()
    await stage.over(match)
    await stage.played_well(match)


def _code(stage: Stage) -> int | None:
    program: Program | None = stage.program
    return program.code if program is not None else None


ENDINGS = (
    Scenario(
        "killed",
        "takes up a running match when it is launched again in the middle of it",
        "Programs are killed, by a machine without memory or by a mistake. The match is still there a second later.",
        "A match that is offered may be running already (warm_up_ms_left is 0), and its first Decision may have any "
        "number. Say Ready anyway, and answer. Begin request_ids with bytes that are random for each process, and do "
        "not draw them by CUTPURSE_SEED: an id of the program that was killed is refused as REQUEST_ID_REUSED.",
        _is_killed,
        ("plays-on",),
    ),
    Scenario(
        "wrong-token",
        "ends with an exit code other than 0 when its token is refused",
        "A token that is refused stays refused. A program that keeps trying looks as if it were playing.",
        "On a stream that ends with UNAUTHENTICATED (reason TOKEN_INVALID) print the text and end with exit code 1.",
        _wrong_token,
        ("says-hello",),
    ),
    Scenario(
        "other-version",
        "ends with an exit code other than 0 when its protocol version is refused",
        "The service says which version it speaks; dialling in again with the same one cannot help.",
        "On a stream that ends with FAILED_PRECONDITION (reason PROTOCOL_UNSUPPORTED) print the text and end with exit "
        "code 1.",
        _other_version,
        ("says-hello",),
    ),
    Scenario(
        "ends-on-sigterm",
        f"ends within {_GOODBYE_S:g} seconds of SIGTERM, in good order",
        "That is how a tournament ends its bots; those that stay are killed, with whatever they have not written.",
        "Handle SIGTERM, or leave it to its default; end the stream and exit with code 0. A shell script in between "
        "has to pass it on: start the program with exec.",
        _is_terminated,
        ("plays-on",),
    ),
)
