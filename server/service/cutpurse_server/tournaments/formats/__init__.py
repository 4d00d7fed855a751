"""How entrants meet: for each format a pure fold over the course of a tournament, which draws the next round.

- `course`: what a format may look at.
- `grouping`: tables of neighbours in an order, with bots apart that should be.
- `seating`: a round in which everybody plays once.
- one module for each format.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from cutpurse_server.tournaments.events import Format, Manifest
from cutpurse_server.tournaments.formats.course import Course, Draw, Pairing, Table
from cutpurse_server.tournaments.formats.elimination import SingleElimination, elimination_matches, untied_matches
from cutpurse_server.tournaments.formats.gauntlet import Gauntlet, gauntlet_matches
from cutpurse_server.tournaments.formats.ladder import Ladder
from cutpurse_server.tournaments.formats.round_robin import RoundRobin, round_robin_matches
from cutpurse_server.tournaments.formats.seating import rounds_of_tables_matches
from cutpurse_server.tournaments.formats.swiss import Swiss

__all__ = ["KINDS", "Course", "Draw", "Kind", "Pairing", "Table"]


class Kind(NamedTuple):
    """What there is to know of a format."""

    pairing: Callable[[Course], Pairing]
    matches_max: Callable[[Manifest, int], int]
    """Matches for so many entrants, at most."""
    matches_expected: Callable[[Manifest, int], int]
    """The same if nothing is tied."""
    late_entries: bool
    """Whether bots may enter when it has begun."""


KINDS: Mapping[Format, Kind] = {
    Format.ROUND_ROBIN: Kind(RoundRobin, round_robin_matches, round_robin_matches, False),
    Format.SWISS: Kind(Swiss, rounds_of_tables_matches, rounds_of_tables_matches, True),
    Format.SINGLE_ELIMINATION: Kind(SingleElimination, elimination_matches, untied_matches, False),
    Format.LADDER: Kind(Ladder, rounds_of_tables_matches, rounds_of_tables_matches, True),
    Format.GAUNTLET: Kind(Gauntlet, gauntlet_matches, gauntlet_matches, False),
}
