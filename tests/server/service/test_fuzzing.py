"""Every method gets valid, mutated and random bytes in every role: nothing fails inside, nothing secret comes out.

CUTPURSE_FUZZ_REQUESTS says how many requests the long form sends, and CUTPURSE_FUZZ_SEED which ones, so that it can be
run in portions.
"""

from __future__ import annotations

import asyncio
import os
import random
from collections import Counter
from pathlib import Path
from typing import Any

import grpc
import pytest

from cutpurse.v1 import bot_pb2
from cutpurse_server.identity import Role
from cutpurse_server.servicers.rates import Rates
from tests.server.service.arena import Arena, open_arena
from tests.server.service.log_lines import kept_log_lines
from tests.server.service.random_messages import mutated, random_bytes, random_message
from tests.server.service.test_roles_and_tokens import PATHS

SEED = os.environ.get("CUTPURSE_FUZZ_SEED", "1")
LONG_REQUESTS = int(os.environ.get("CUTPURSE_FUZZ_REQUESTS", "1000000"))
AT_ONCE = 8
"""So many send beside each other, each what its own number says: some answers are waited for."""
DEAL = "a seed that nobody may read"
"""The seed of a match that runs meanwhile: a canary, as the tokens are."""
NEVER = {"INTERNAL", "UNKNOWN", "DATA_LOSS"}
SILENCE_S = 0.5
ANSWER_S_MAX = 300
"""A machine that is busy with other things may take long; a request without an answer is one all the same."""
CUT_WHILE_WRITING = "Internal error from Core"
"""What the client's own library says when the service has ended the stream that it still writes to."""
GROWTH_KB_MAX = 60_000
_PATHS = sorted(PATHS)
ROLES = ("BOT", "PLAYER", *(role.name for role in (Role.ORGANISER, Role.SPECTATOR, Role.AUDITOR)))


def memory_kb() -> int:
    """This process' resident memory."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0])


class Fuzzer:
    """Sends requests, counts how they are answered, and keeps what must not be."""

    def __init__(self, arena: Arena, known: list[str]) -> None:
        self.arena = arena
        self.known = known
        self.codes: Counter[str] = Counter()
        self.faults: list[str] = []
        self.canaries = [*arena.tokens.values(), DEAL]

    def request(self, path: str, chooser: random.Random) -> bytes:
        """Bytes of a request: a third valid, a third mutated, a third anything."""
        encoded = random_message(PATHS[path].input_type, chooser, self.known).SerializeToString()
        match chooser.randrange(3):
            case 0:
                return encoded
            case 1:
                return mutated(encoded, chooser)
            case _:
                return random_bytes(chooser, 200)

    async def send(self, chooser: random.Random) -> None:
        """One request to one method in one role."""
        path = chooser.choice(_PATHS)
        role = chooser.choice(ROLES)
        requests = [self.request(path, chooser) for _ in range(3 if PATHS[path].client_streaming else 1)]
        code, said = await self._answered(path, role, requests)
        self.codes[code] += 1
        if code in NEVER:
            self.faults.append(f"{path} as {role} answered {code} to {[each.hex() for each in requests]}")
        self.faults += [f"{path} as {role} says {canary!r}" for canary in self.canaries if canary.encode() in said]

    async def _answered(self, path: str, role: str, requests: list[bytes]) -> tuple[str, bytes]:
        """The status, and everything that was said, up to a few frames of a stream."""
        method = PATHS[path]
        kind = f"{'stream' if method.client_streaming else 'unary'}_{'stream' if method.server_streaming else 'unary'}"
        stub: Any = getattr(self.arena.channel, kind)(path, bytes, bytes)
        metadata = self.arena.metadata(role)
        said = b""
        try:
            async with asyncio.timeout(ANSWER_S_MAX):
                if method.client_streaming:
                    call = stub(metadata=metadata)
                    hello = bot_pb2.ConnectRequest(hello=bot_pb2.Hello(protocol_version=1)).SerializeToString()
                    for frame in (hello, *requests):
                        await call.write(frame)
                    await call.done_writing()
                    async for frame in call:
                        said += frame
                elif method.server_streaming:
                    call = stub(requests[0], metadata=metadata)
                    # Whoever watches from a place that is not reached yet hears nothing for now.
                    reading = asyncio.ensure_future(call.read())
                    done, _ = await asyncio.wait([reading], timeout=SILENCE_S)
                    reading.add_done_callback(lambda task: task.cancelled() or task.exception())
                    said = b"".join(task.result() or b"" for task in done)
                    call.cancel()
                else:
                    said = await stub(requests[0], metadata=metadata)
        except asyncio.InvalidStateError:
            # The other thing that it says then.
            return "CUT", said
        except grpc.aio.AioRpcError as error:
            if error.details() == CUT_WHILE_WRITING:
                return "CUT", said
            trailing = b"".join(str(item).encode() for item in error.trailing_metadata() or ())
            return error.code().name, said + (error.details() or "").encode() + trailing
        # A token that the organiser was just given is an answer to the organiser, not a leak of another one.
        return "OK", said


async def fuzz(requests: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """So many requests beside a match that is being played; then it still can be."""
    print(f"CUTPURSE_FUZZ_SEED={SEED}")
    # What is asked must reach the methods, not the limit of their rate.
    monkeypatch.setattr(Rates, "take", lambda *_: None)
    with kept_log_lines() as lines:
        async with open_arena(bots=("ann", "ben", "cat", "pat")) as arena:
            arena.tokens["BOT"] = arena.tokens["cat"]
            arena.tokens["PLAYER"], _ = await arena.service.registry.issue_token(Role.PLAYER, "pat")
            arena.tokens |= {name: arena.tokens[name.lower()] for name in ("ORGANISER", "SPECTATOR", "AUDITOR")}
            match, streams = await arena.start(["ann", "ben"], seed=DEAL)
            # Organisers may end a match, so what is sent names one of the attackers' own.
            theirs = await arena.create(["cat", "pat"])
            fuzzer = Fuzzer(arena, [theirs, "ann", "cat", "pat", "art_robbery", "cup"])

            async def send_some(chooser: random.Random, share: int) -> None:
                for _ in range(share):
                    await fuzzer.send(chooser)

            async def send_half(name: str) -> None:
                choosers = [random.Random(f"{SEED}/{name}/{number}") for number in range(AT_ONCE)]
                await asyncio.gather(*(send_some(chooser, requests // 2 // AT_ONCE) for chooser in choosers))

            await send_half("first")
            before_kb = memory_kb()
            await send_half("second")
            grown_kb = memory_kb() - before_kb

            decision = await streams["ann"].next("decisions", match)
            assert decision.legal, "whatever was sent, the match waits for its decision"
    assert not fuzzer.faults, fuzzer.faults[:5]
    assert fuzzer.codes["OK"], "nothing that was sent was valid, so little was tested"
    assert fuzzer.codes["INVALID_ARGUMENT"]
    assert grown_kb < GROWTH_KB_MAX, f"{grown_kb} kB more after the second half"
    told = "\n".join(map(str, lines))
    assert not [canary for canary in fuzzer.canaries if canary in told]
    assert "call failed" not in told
    print(dict(fuzzer.codes), f"{grown_kb} kB more after the second half")


async def test_a_thousand_requests_of_any_kind_fail_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    await fuzz(1_000, monkeypatch)


@pytest.mark.long
async def test_very_many_requests_of_any_kind_fail_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    await fuzz(LONG_REQUESTS, monkeypatch)
