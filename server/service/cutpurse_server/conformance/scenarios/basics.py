"""The first steps: dial in, say who it is, get ready, play one match."""

from __future__ import annotations

from cutpurse_server.conformance.scenario import Scenario, Shortcoming
from cutpurse_server.conformance.stage import BOT, START_S, STILL_S, UNHURRIED, Stage
from cutpurse_server.servicers.bots import PROTOCOL_VERSION

__all__ = ["BASICS"]

_BEARER = "Bearer "
_WARM_UP_MS = 10_000


async def _dials_in(stage: Stage) -> None:
    await stage.launch()
    await stage.until(lambda: stage.ledger.dials != [], f"it had not dialled {stage.front.address}", START_S)


async def _shows_its_token(stage: Stage) -> None:
    await stage.launch()
    await stage.until(lambda: stage.ledger.credentials != [], "it had not dialled in", START_S)
    shown = stage.ledger.credentials[0]
    if not shown:
        raise Shortcoming("its call has no metadata `authorization`")
    if not shown.startswith(_BEARER):
        raise Shortcoming("its metadata `authorization` does not begin with `Bearer ` and a blank")
    await stage.until(lambda: stage.ledger.hellos != [], "it had not said Hello")


async def _says_hello(stage: Stage) -> None:
    await stage.arrive()
    version = stage.ledger.hellos[0].protocol_version
    if version < PROTOCOL_VERSION:
        raise Shortcoming(f"its Hello says protocol_version {version}; this service speaks {PROTOCOL_VERSION}")
    await stage.until(lambda: stage.service.presence.streams(BOT) > 0, "the service had not taken its Hello")
    stage.behaved()


async def _gets_ready(stage: Stage) -> None:
    await stage.arrive()
    clock = UNHURRIED._replace(warm_up_ms=round(_WARM_UP_MS * stage.patience))
    match = await stage.begin(clock=clock)
    otherwise = f"it had not said Ready for match {match}"
    await stage.until(lambda: match in stage.ledger.readies, otherwise, _WARM_UP_MS / 1_000)
    stage.behaved()


async def _plays(stage: Stage) -> None:
    await stage.arrive()
    await stage.play()


async def _plays_on(stage: Stage) -> None:
    await stage.arrive()
    for _ in range(3):
        match = await stage.play()
        await stage.until(lambda match=match: match in stage.ledger.told_ends, "it had not heard of the end", STILL_S)  # type: ignore[misc]
    await stage.stays(0.5, "it waited for its next match")


async def _survives_a_voided_match(stage: Stage) -> None:
    await stage.arrive()
    stage.opponents.pause_s = 0.2
    match = await stage.begin()
    await stage.until(lambda: stage.ledger.answers != [], "it had not answered its first decision")
    await stage.void(match)
    stage.opponents.pause_s = 0.0
    await stage.play()


BASICS = (
    Scenario(
        "dials-in",
        "opens the stream of BotService at CUTPURSE_ADDRESS",
        "Whoever runs a match tells a bot by the environment where to play; nothing else tells it.",
        "Read CUTPURSE_ADDRESS (host:port or unix:/path), open a gRPC channel without encryption to it, and call "
        "cutpurse.v1.BotService/Connect as the first thing that the program does.",
        _dials_in,
    ),
    Scenario(
        "shows-its-token",
        "gives its token with the call",
        "The token says who plays. Without it the service refuses every call.",
        "Read CUTPURSE_TOKEN and give the call the metadata `authorization: Bearer TOKEN`, without any change to it.",
        _shows_its_token,
        ("dials-in",),
    ),
    Scenario(
        "says-hello",
        "says Hello first, alone in its frame, with the protocol's version",
        "The service waits ten seconds for Hello and refuses a stream that begins with anything else.",
        "Make the first frame of every stream a ConnectRequest with nothing but hello, protocol_version 1. Leave "
        "concurrency and wants_receipts out.",
        _says_hello,
        ("shows-its-token",),
    ),
    Scenario(
        "gets-ready",
        "says Ready for a match that it is offered",
        "The clocks start when all seats are ready, and whoever is not at the end of the warm-up forfeits the match.",
        "Answer every MatchOffered with a Ready that names its match; warm up before, if at all.",
        _gets_ready,
        ("says-hello",),
    ),
    Scenario(
        "plays-a-match",
        "plays a short match with legal answers to its end",
        "This is what it is for: every Decision gets one Choice, with one of the legal actions.",
        "Answer each Decision with a Choice that copies its match and decision, bears a fresh request_id, and names "
        "one of `legal` by its text (notation) or its position (index).",
        _plays,
        ("gets-ready",),
    ),
    Scenario(
        "plays-on",
        "plays one match after the other on one stream",
        "A tournament is many matches. A program that ends after the first must be started again while the next "
        "one's warm-up runs.",
        "Do not end when a match ends: keep the stream, and wait for the next offer until SIGTERM comes.",
        _plays_on,
        ("plays-a-match",),
    ),
    Scenario(
        "voided-match",
        "drops a match that an organiser ends, and plays the next",
        "Matches are voided when somebody is disqualified or a machine fails; MatchEnded then has no result.",
        "Do not take for granted that MatchEnded has a result, or that an open decision is still to be answered.",
        _survives_a_voided_match,
        ("plays-on",),
    ),
)
