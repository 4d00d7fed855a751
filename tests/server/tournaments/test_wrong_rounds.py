"""Every check of what a format draws bites: each plants one wrong into the log of an honest tournament."""

from typing import Any

import pytest

from cutpurse_server.audit.verdict import Wrong
from cutpurse_server.tournaments.blocks import BlockKey
from cutpurse_server.tournaments.events import BlockVoided, Lot, RoundDrawn, TournamentFinished, Verdict
from tests.server.tournaments.test_formats_in_service import disturbed, events_of, judged, whole


def changed(event: Any, **fields: Any) -> Any:
    values = {name: value(event) if callable(value) else value for name, value in fields.items()}
    assert event._replace(**values) != event
    return event._replace(**values)


PLANTS: dict[str, tuple[str, type, dict[str, Any], str]] = {
    "another bot at a table": ("swiss", RoundDrawn, {"tables": lambda e: (e.tables[0][::-1], *e.tables[1:])}, "tables"),
    "another bye": ("swiss", RoundDrawn, {"byes": ("b",)}, "byes"),
    "another number": ("ladder", RoundDrawn, {"round": 7}, "the round"),
    "an invented lot": ("single-elimination", RoundDrawn, {"lots": (Lot(1, ("a", "b")),)}, "lots"),
    "a lot at the end": ("single-elimination", TournamentFinished, {"lots": (Lot(1, ("a", "b")),)}, "lots"),
    "another verdict": ("gauntlet", TournamentFinished, {"verdict": Verdict.STRONGER}, "verdict"),
    "another score": (
        "ladder",
        TournamentFinished,
        {"standings": lambda e: (e.standings[0]._replace(score=99.0), *e.standings[1:])},
        "standings",
    ),
    "a bye too many": (
        "swiss",
        TournamentFinished,
        {"standings": lambda e: (e.standings[0]._replace(byes=9), *e.standings[1:])},
        "standings",
    ),
}


@pytest.mark.parametrize("plant", PLANTS)
async def test_the_audit_finds_a_wrong_pairing(plant: str) -> None:
    name, kind, fields, text = PLANTS[plant]
    _, log = await whole(name)
    events = await events_of(log)
    at = next(place for place, event in enumerate(events) if isinstance(event, kind))
    events[at] = changed(events[at], **fields)

    with pytest.raises(Wrong, match=text):
        judged(events)


async def test_the_audit_finds_a_round_too_few_and_one_too_many() -> None:
    _, log = await whole("swiss")
    events = await events_of(log)
    last = max(at for at, event in enumerate(events) if isinstance(event, RoundDrawn))

    with pytest.raises(Wrong, match="a further round is to be drawn"):
        judged([*events[:last], events[-1]])
    with pytest.raises(Wrong, match="no round is to be drawn"):
        judged([*events[:-1], events[last]._replace(at_ms=events[-1].at_ms), events[-1]])


async def test_the_audit_finds_a_block_voided_twice_over_or_without_a_reason() -> None:
    log = await disturbed("round-robin", [(30, lambda cup: cup.void_block("cup", BlockKey(1, 1), "a power cut"))])
    events = await events_of(log)
    at = next(place for place, event in enumerate(events) if isinstance(event, BlockVoided))

    with pytest.raises(Wrong, match="for a reason that is named"):
        judged([*events[:at], changed(events[at], text=""), *events[at + 1 :]])
    with pytest.raises(Wrong, match="attempt 2 of the block is due"):
        judged([*events[: at + 1], *events[at:]])
