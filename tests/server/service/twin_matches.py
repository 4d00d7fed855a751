"""Two whole matches of any game between which a viewer cannot tell, and what the service shows of one.

A twin is played on other outcomes of the same draws, by the same choices, and every state of it looks to the viewer as
the state of the first does. Which cards the others hold and will draw is different, and that is all that is.
"""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from cutpurse.v1 import bot_pb2, match_pb2
from cutpurse_rules import GAMES
from cutpurse_rules.chance import Draw, RecordedChance, ScriptedChance, StreamChance, key_of_seed
from cutpurse_rules.contract import Seat
from cutpurse_rules.errors import BadDraw, Illegal
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.matches import record
from tests.server.service.arena import Arena, BotStream, clock, open_arena
from tests.server.service.observed import BOTS, Shown, asked_of, public_parts

__all__ = ["Play", "deal", "played", "show", "twin_of"]

SEED = "twin matches"
_SWAPS = 250


@dataclass(frozen=True)
class Play:
    """Draws, the choices made on them decision by decision, and the states they led through, the first one included."""

    game: str
    draws: tuple[Draw, ...]
    choices: tuple[dict[int, str], ...]
    states: tuple[Any, ...]


def played(game_id: str, decisions_max: int, seed: int) -> Play:
    """A match of random choices on the service's own draws, to its end or so far."""
    game, lot = GAMES[game_id], random.Random(seed)
    chance = RecordedChance(StreamChance(key_of_seed(SEED)))
    states = [game.begin(game.configure(len(BOTS)), chance)]
    draws = list(chance.take())
    choices: list[dict[int, str]] = []
    while (asked := game.asked(states[-1])) and len(choices) < decisions_max:
        forced = game.forced(states[-1])
        chosen = {seat: forced.get(seat) or lot.choice(game.legal(states[-1], seat)) for seat in asked}
        choices.append({int(seat): action.notation for seat, action in chosen.items()})
        states.append(game.resolve(states[-1], chosen, chance))
        draws += chance.take()
    return Play(game_id, tuple(draws), tuple(choices), tuple(states))


def twin_of(play: Play, viewer: int | None, lot: random.Random) -> Play:
    """The same choices on other draws, which the viewer cannot tell from the first ones; as different as may be."""
    seen = _seen(play, viewer)
    twin = play
    for _ in range(_SWAPS):
        draws = list(twin.draws)
        place = lot.randrange(len(draws))
        outcome = list(draws[place].outcome)
        if len(outcome) < 2:
            continue
        one, other = lot.sample(range(len(outcome)), 2)
        outcome[one], outcome[other] = outcome[other], outcome[one]
        draws[place] = Draw(draws[place].label, draws[place].kind, tuple(outcome))
        tried = _replayed(play, draws)
        if tried is not None and _seen(tried, viewer) == seen:
            twin = tried
    return twin


def _replayed(play: Play, draws: Sequence[Draw]) -> Play | None:
    """The same choices on other draws; None if one of them is not legal then, or the draws do not fit."""
    game, chance = GAMES[play.game], ScriptedChance(draws)
    states = [game.begin(game.configure(len(BOTS)), chance)]
    for choices in play.choices:
        if tuple(map(int, game.asked(states[-1]))) != tuple(choices):
            return None
        chosen = {Seat(seat): game.parse(notation) for seat, notation in choices.items()}
        try:
            for seat, action in chosen.items():
                game.verify(states[-1], seat, action)
            states.append(game.resolve(states[-1], chosen, chance))
        except (Illegal, BadDraw):
            return None
    return Play(play.game, tuple(draws), play.choices, tuple(states))


def _seen(play: Play, viewer: int | None) -> list[Any]:
    """By the rules alone: everything that the viewer may know, state by state."""
    game, seat = GAMES[play.game], None if viewer is None else Seat(viewer)
    everything: list[Any] = []
    for state in play.states:
        forced = game.forced(state)
        everything.append((game.view(state, seat), game.view(state, None), game.asked(state), sorted(forced)))
        if seat is not None:
            everything.append([action.notation for action in game.legal(state, seat)])
    return everything


def deal(monkeypatch: pytest.MonkeyPatch, play: Play) -> None:
    """Let every match of the service be dealt like this."""
    monkeypatch.setattr(record, "StreamChance", lambda key: ScriptedChance(play.draws, StreamChance(key)))


async def show(play: Play, viewer: int | None, *, backwards: bool = False, stumbling: bool = False) -> Shown:
    """Play a match on the running service and return all that the viewer (None: only a spectator) receives.

    In a decision of several seats one of the others answers first, then the viewer, then the rest, and after each of
    them everything is asked for; `backwards` turns the others' order round. With `stumbling` they answer badly first.
    """
    shown: Shown = defaultdict(list)
    wants = {"wants_resolved": True, "wants_legal_actions": True}
    async with open_arena(MemoryLog(lambda: 1_000_000_000)) as arena:
        match, streams = await arena.start(
            BOTS, wants, game=play.game, seed=SEED, clock=clock(decision_ms=1_000), request_id=b"twin"
        )
        watching = arena.stub("MatchService").WatchMatch(
            match_pb2.WatchMatchRequest(match=match), metadata=arena.metadata("spectator")
        )
        for number, choices in enumerate(play.choices):
            forced = GAMES[play.game].forced(play.states[number])
            others = [seat for seat in choices if seat != viewer and seat not in forced]
            own = [viewer] if viewer in choices and viewer not in forced else []
            others = others[::-1] if backwards else others
            for seat in [*others[:1], *own, *others[1:]]:
                assert seat is not None
                stream = streams[BOTS[seat]]
                decision = await stream.next("decisions", match)
                if seat == viewer or stumbling:
                    await _stumble(stream, decision, play)
                await stream.answer(decision, notation=choices[seat], request_id=f"{number} of {seat}".encode())
                await _keep_calls(arena, match, viewer, shown)
        await _keep_story(watching, len(play.choices), shown)
        if viewer is not None:
            await _keep_stream(streams[BOTS[viewer]], len(play.choices), shown)
            await _keep_again(arena, match, viewer, shown)
        shown["the log's public parts"] = await public_parts(arena, match)
    return shown


async def _stumble(stream: BotStream, decision: match_pb2.Decision, play: Play) -> None:
    """Have two answers refused: one that is none, and an action that this seat cannot take now."""
    known = {notation for choices in play.choices for notation in choices.values()}
    illegal = min(known - set(decision.legal), default="nonsense")
    for name, notation in (("malformed", "nonsense"), ("illegal", illegal)):
        request_id = f"{name} {decision.decision} {stream.bot}".encode()
        await stream.refused(stream.choice(decision, request_id=request_id, notation=notation))


async def _keep_calls(arena: Arena, match: str, viewer: int | None, shown: Shown) -> None:
    """What unary calls answer now, refusals included."""
    whom = "spectator" if viewer is None else BOTS[viewer]
    shown["GetMatch"].append(await asked_of(arena, whom, "GetMatch", match_pb2.GetMatchRequest(match=match)))
    if viewer is None:
        return
    for method, request in (
        ("GetView", match_pb2.GetViewRequest(match=match)),
        ("ListLegalActions", match_pb2.ListLegalActionsRequest(match=match)),
    ):
        shown[method].append(await asked_of(arena, whom, method, request))


async def _keep_story(watching: Any, resolved: int, shown: Shown) -> None:
    """A spectator's stream until it has told of so many decisions: what was told, and what was to be seen at last."""
    told = 0
    while told < resolved:
        frame = await watching.read()
        told += len(frame.resolved)
        shown["WatchMatch"] += [each.SerializeToString(deterministic=True) for each in frame.resolved]
        if told >= resolved:
            del frame.resolved[:]
            shown["WatchMatch"].append(frame.SerializeToString(deterministic=True))
    watching.cancel()


async def _keep_stream(stream: BotStream, resolved: int, shown: Shown) -> None:
    """Read a bot's stream until it has told of so many resolved decisions, several in one message perhaps."""

    def told() -> int:
        news = [bot_pb2.MatchNews.FromString(message) for kind, message in stream.transcript if kind == "news"]
        return sum(len(each.resolved) for each in news)

    while told() < resolved:
        assert await stream.read()
    for kind, message in stream.transcript:
        shown[kind].append(message)


async def _keep_again(arena: Arena, match: str, viewer: int, shown: Shown) -> None:
    """What a second stream of the viewer is told at first, in a match that goes on."""
    again = await arena.dial(BOTS[viewer], wants_resolved=True)
    if (await arena.service.desk.record(match)).over:  # type: ignore[union-attr]
        return
    await again.next("offers", match)
    await _keep_stream(again, 0, shown)
