"""Everything that a seat and a spectator receive of one match, byte for byte, whatever is behind it."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

import grpc

from cutpurse.v1 import log_pb2, match_pb2
from cutpurse_rules.art_robbery.cards import CARDS
from cutpurse_server.log.memory import MemoryLog
from tests.server.service.arena import Arena, BotStream, clock, open_arena, refusal_of
from tests.server.service.twins import SEED, Play

__all__ = ["BOTS", "Shown", "asked_of", "keep_calls", "keep_stream", "public_parts", "show"]

BOTS = ("ann", "ben", "cat")
BEGUN_MS = 1_000_000_000

Shown = dict[str, list[bytes]]
"""What was received, by kind: bytes in the order in which they came."""


async def show(play: Play, viewer: int | None, *, others_stumble: bool = False, others_think_ms: int = 0) -> Shown:
    """Play a match on the running service and return what the viewer (None: only a spectator) receives.

    Store time stands still but for what the others' thinking takes. Others may stumble before they choose.
    """
    now_ms = [BEGUN_MS]
    shown: Shown = defaultdict(list)
    async with open_arena(MemoryLog(lambda: now_ms[0])) as arena:
        settings = clock(decision_ms=1_000, bank_ms=50_000)
        wants = {"wants_resolved": True, "wants_legal_actions": True}
        match, streams = await arena.start(BOTS, wants, seed=SEED, clock=settings, request_id=b"twin")
        watching = arena.stub("MatchService").WatchMatch(
            match_pb2.WatchMatchRequest(match=match), metadata=arena.metadata("spectator")
        )
        await keep_frame(watching, shown)
        for number, (seat, notation) in enumerate(play.choices):
            stream = streams[BOTS[seat]]
            decision = await stream.next("decisions", match)
            if seat != viewer:
                now_ms[0] += others_think_ms
                if others_stumble:
                    await stumble(stream, decision)
            elif number > len(BOTS):
                # Its first decision is seen without mistakes.
                await stumble(stream, decision)
            await keep_calls(arena, match, viewer, shown)
            await stream.answer(decision, notation=notation, request_id=f"choice {number}".encode())
            await keep_frame(watching, shown)
        watching.cancel()
        await keep_calls(arena, match, viewer, shown)
        if viewer is not None:
            await keep_stream(streams[BOTS[viewer]], len(play.choices), shown)
            again = await arena.dial(BOTS[viewer], **wants)
            await again.next("offers", match)
            await keep_stream(again, 0, shown)
        shown["the log's public parts"] = await public_parts(arena, match)
    return shown


async def stumble(stream: BotStream, decision: match_pb2.Decision) -> None:
    """Have two answers refused: one that is none, and one with a card that the seat does not hold."""
    missing = min(set(range(1, len(CARDS) + 1)) - set(decision.view.art_robbery.hand))
    for name, notation in (("malformed", "nonsense"), ("illegal", f"play {CARDS[missing - 1]}")):
        request_id = f"{name} {decision.decision}".encode()
        await stream.refused(stream.choice(decision, request_id=request_id, notation=notation))


async def keep_frame(watching: Any, shown: Shown) -> None:
    """Read one frame of a spectator's stream."""
    frame = await watching.read()
    shown["WatchMatch"].append(frame.SerializeToString(deterministic=True))


async def keep_stream(stream: BotStream, resolved: int, shown: Shown) -> None:
    """Read a bot's stream until it has told of so many resolved decisions, and keep all of it."""
    while sum(kind == "news" for kind, _ in stream.transcript) < resolved:
        assert await stream.read()
    for kind, message in stream.transcript:
        shown[kind].append(message)


async def keep_calls(arena: Arena, match: str, viewer: int | None, shown: Shown) -> None:
    """What the unary calls answer now, refusals included."""
    shown["GetMatch"].append(await asked_of(arena, "spectator", "GetMatch", match_pb2.GetMatchRequest(match=match)))
    shown["GetMatch"].append(await asked_of(arena, "organiser", "GetMatch", match_pb2.GetMatchRequest(match=match)))
    if viewer is None:
        return
    for method, request in (
        ("GetMatch", match_pb2.GetMatchRequest(match=match)),
        ("GetView", match_pb2.GetViewRequest(match=match)),
        ("ListLegalActions", match_pb2.ListLegalActionsRequest(match=match)),
    ):
        shown[method].append(await asked_of(arena, BOTS[viewer], method, request))
    stale = match_pb2.Choice(match=match, decision=9, request_id=b"stale", index=0)
    answer = match_pb2.SubmitChoiceRequest(choice=stale)
    shown["SubmitChoice"].append(await asked_of(arena, BOTS[viewer], "SubmitChoice", answer))


async def asked_of(arena: Arena, who: str, method: str, request: Any) -> bytes:
    """The bytes of a reply, or of everything that a refusal says."""
    try:
        reply = await arena.ask(who, method, request)
    except grpc.aio.AioRpcError as error:
        return repr(refusal_of(error)).encode()
    answer: bytes = reply.SerializeToString(deterministic=True)
    return answer


async def public_parts(arena: Arena, match: str) -> list[bytes]:
    """The public parts of a match's log, stand-ins in place of the commitments, whose hiding is tested apart."""
    parts = []
    for stored in await arena.service.log.read(f"match/{match}"):
        event = log_pb2.PublicEvent.FromString(stored.public)
        if event.commitment:
            event.commitment = bytes(len(event.commitment))
        parts.append(event.SerializeToString(deterministic=True))
    return parts
