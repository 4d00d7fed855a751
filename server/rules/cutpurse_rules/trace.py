"""The trace: one match as JSON lines, exactly as rules/trace.md says; and reading the draws of one back.

The lines of a match in their order: `match_line`; for every decision its `draw_line`s, `decision_line` and
`choices_line`; `draw_line`s and `result_line`. None ends in a line feed; in a file each does.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from cutpurse_rules.chance import Draw
from cutpurse_rules.contract import Action, Config, Game, Seat, View
from cutpurse_rules.errors import BadScript
from cutpurse_rules.playthrough import Ended, Resolved

__all__ = [
    "choices_line", "decision_line", "draw_line", "lines_of", "match_line", "numbered_names", "read_draws",
    "result_line",
]  # fmt: skip

S = TypeVar("S")
A = TypeVar("A", bound=Action)
V = TypeVar("V", bound=View)


def match_line(game: Game[S, A, V], config: Config, seed: str | None, bots: Sequence[str]) -> str:
    """The first line; `bots` are the names by seat, as `numbered_names` gives them."""
    assert len(bots) == config.players
    options = {name: dict(value) if isinstance(value, Mapping) else value for name, value in config.options.items()}
    return _line(
        type="match",
        game=game.id,
        rules=game.rules_version,
        players=config.players,
        options=options,
        seed=seed,
        bots=list(bots),
    )


def draw_line(draw: Draw) -> str:
    """A draw; a shuffle's outcome is the whole order, a pick's one card."""
    outcome = list(draw.outcome) if draw.kind == "shuffle" else draw.outcome[0]
    return _line(type="draw", label=draw.label, kind=draw.kind, outcome=outcome)


def decision_line(game: Game[S, A, V], players: int, state: S, number: int) -> str:
    """The moment before anybody chooses: who is asked, what each may do, what everybody sees."""
    asked = game.asked(state)
    return _line(
        type="decision",
        number=number,
        asked=list(asked),
        legal={str(seat): [action.notation for action in game.legal(state, seat)] for seat in asked},
        views=_views(game, players, state),
    )


def choices_line(number: int, chosen: Mapping[Seat, str], causes: Mapping[Seat, str]) -> str:
    """What was chosen, in notation, and with which cause (`playthrough.Cause`)."""
    assert set(chosen) == set(causes)
    return _line(
        type="choices",
        number=number,
        choices={str(seat): notation for seat, notation in chosen.items()},
        cause={str(seat): str(cause) for seat, cause in causes.items()},
    )


def result_line(game: Game[S, A, V], players: int, state: S) -> str:
    """The last line: the result, and the table as it was left."""
    result = game.result(state)
    assert result is not None, "a match has its result line when it is over"
    return _line(
        type="result",
        scores=list(result.scores),
        placements=list(result.placements),
        reason=result.reason.value,
        views=_views(game, players, state),
    )


def lines_of(game: Game[S, A, V], players: int, part: Resolved[S, A] | Ended[S]) -> Iterator[str]:
    """The lines of one part of a playthrough."""
    yield from map(draw_line, part.draws)
    if isinstance(part, Ended):
        yield result_line(game, players, part.state)
        return
    yield decision_line(game, players, part.before, part.number)
    chosen = {seat: action.notation for seat, action in part.chosen.items()}
    yield choices_line(part.number, chosen, part.causes)


def numbered_names(names: Iterable[str]) -> list[str]:
    """Names by seat, each once: what is repeated becomes `random-2`, then `random-3`.

    A number that somebody's own name already bears is passed over.
    """
    given = list(names)
    used: set[str] = set()
    numbered = []
    for name in given:
        unique, number = name, 1
        while unique in used or (number > 1 and unique in given):
            number += 1
            unique = f"{name}-{number}"
        used.add(unique)
        numbered.append(unique)
    return numbered


def read_draws(lines: Iterable[str], source: str) -> tuple[Draw, ...]:
    """The draws of a trace or chance file; lines of other types and empty lines are passed over.

    `source` is how errors name the file. Raises `BadScript` with file, line and remedy.
    """
    draws: dict[str, Draw] = {}
    for number, text in enumerate(lines, start=1):
        if not text.strip():
            continue
        try:
            line = json.loads(text)
        # A text nested too deeply for the reader is no line of ours either.
        except (ValueError, RecursionError):
            raise BadScript(source, number, "is not JSON; a chance file holds one JSON object per line") from None
        if not isinstance(line, dict):
            raise BadScript(source, number, 'is not a JSON object; write {"type":"draw",…}')
        if line.get("type") != "draw":
            continue
        draw = _draw(line, source, number)
        if draw.label in draws:
            raise BadScript(source, number, f"gives the draw {draw.label!r} a second time; leave one of them out")
        draws[draw.label] = draw
    return tuple(draws.values())


def _draw(line: Mapping[str, Any], source: str, number: int) -> Draw:
    label, kind, outcome = line.get("label"), line.get("kind"), line.get("outcome")
    if not isinstance(label, str) or not label:
        raise BadScript(source, number, 'has no label; write "label":"deck" or whatever the game\'s page names')
    if kind == "shuffle":
        if not isinstance(outcome, list) or not all(isinstance(card, str) for card in outcome):
            raise BadScript(source, number, f"must give {label!r} an outcome that is a list of cards, top card first")
        return Draw(label, "shuffle", tuple(outcome))
    if kind == "pick":
        if not isinstance(outcome, str):
            raise BadScript(source, number, f"must give {label!r} an outcome that is one card")
        return Draw(label, "pick", (outcome,))
    raise BadScript(source, number, f'has kind {kind!r}; write "kind":"shuffle" or "kind":"pick"')


def _views(game: Game[S, A, V], players: int, state: S) -> dict[str, Any]:
    views = {str(seat): game.view(state, Seat(seat)).to_json() for seat in range(players)}
    return {**views, "spectator": game.view(state, None).to_json()}


def _line(**parts: Any) -> str:
    return json.dumps(parts, sort_keys=True, separators=(",", ":"))
