"""A round in which everybody plays once: who rests, and tables of neighbours of the others; for Swiss and ladder."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutpurse_server.tournaments.events import Manifest
from cutpurse_server.tournaments.formats.course import Course, Draw
from cutpurse_server.tournaments.formats.grouping import Avoid, tables_of_neighbours

__all__ = ["rounds_of_tables_matches", "seated_round"]


def rounds_of_tables_matches(manifest: Manifest, entrants: int) -> int:
    """Matches of a format that seats everybody once a round, at most."""
    return entrants // manifest.players * manifest.rounds * manifest.players


def seated_round(
    course: Course,
    purpose: str,
    avoid: Avoid,
    *,
    height: Callable[[int], Any],
    rests_before: Callable[[int], Any] = lambda number: 0,
) -> Draw | None:
    """The next round, as long as rounds are left and a table can be filled.

    Entrants sit with others of about the same `height`, the greatest first. Those for whom there is no full table have
    a bye: the ones with the fewest byes, among them whom `rests_before` puts first. What is equal is in the order of
    the lot that `purpose` names.
    """
    players = course.manifest.players
    present = course.present()
    if len(course.rounds) >= course.manifest.rounds or len(present) < players:
        return None
    lot = course.shuffled(purpose, str(len(course.rounds) + 1), present)
    # Both sorts are stable, so what is equal stays in the order of the lot.
    resting = sorted(lot, key=lambda number: (course.byes[number], rests_before(number)))
    byes = set(resting[: len(present) % players])
    seated = sorted((number for number in lot if number not in byes), key=height, reverse=True)
    return Draw(tuple(tables_of_neighbours(seated, players, avoid)), tuple(sorted(byes)))
