"""Tournaments played without a service: a schedule, and results that a test makes up."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from cutpurse_rules.contract import EndReason
from cutpurse_server.matches.events import MatchOutcome
from cutpurse_server.tournaments.blocks import Block
from cutpurse_server.tournaments.deals import deals_secret
from cutpurse_server.tournaments.events import BlockCompleted, CompletedMatch, Entrant, TournamentCreated
from cutpurse_server.tournaments.manifests import resolved_settings
from cutpurse_server.tournaments.schedule import Schedule
from tests.server.tournaments.scripted_desk import manifest

__all__ = ["Places", "begun", "by_strength", "completed", "field", "play_on", "play_round"]

Places = Callable[[Sequence[str]], Sequence[int]]
"""The places of the bots at a table, by seat."""


def field(count: int, bots_per_owner: int = 1) -> list[Entrant]:
    """Entrants bot-000, bot-001, …"""
    return [Entrant(f"bot-{number:03}", f"owner-{number // bots_per_owner}") for number in range(count)]


def begun(entrants: Sequence[Entrant], secret: str = "cutpurse", **changes: Any) -> Schedule:
    """The schedule of a tournament that has just begun; changes are those of the manifest.

    Whether the game has a table of that size does not matter here.
    """
    described = manifest(**changes)
    described = described._replace(settings=resolved_settings(described))
    created = TournamentCreated(described, b"", deals_secret(secret), 0)
    return Schedule(created, entrants)


def by_strength(bots: Sequence[str]) -> list[int]:
    """The places if a smaller name always wins."""
    order = sorted(bots)
    return [order.index(bot) + 1 for bot in bots]


def completed(block: Block, places: Places) -> BlockCompleted:
    """A block that was played; matches have no names, since only their results count."""
    seated = [each.bot for each in block.entrants]
    matches = []
    for rotation in range(len(seated)):
        bots = tuple(seated[(seat - rotation) % len(seated)] for seat in range(len(seated)))
        placed = tuple(places(bots))
        outcome = MatchOutcome((0,) * len(bots), placed, EndReason.COMPLETED, (), placed)
        matches.append(CompletedMatch("", b"", 1, outcome, bots))
    return BlockCompleted(*block.key, 1, tuple(matches), 0)


def play_round(schedule: Schedule, places: Places, order: random.Random | None = None) -> list[Block]:
    """Play all blocks that are open, in a random order; the round is drawn before if one is due. The blocks."""
    if schedule.next_draw() is not None:
        schedule.draw()
    blocks = [block for block in schedule.blocks if schedule.is_open(block.key)]
    (order or random.Random(0)).shuffle(blocks)
    for block in blocks:
        # A gauntlet may stop in between.
        if schedule.is_open(block.key):
            schedule.end(block.key, completed(block, places))
    return blocks


def play_on(schedule: Schedule, places: Places, order: random.Random | None = None) -> None:
    """Play to the end."""
    for _ in range(10_000):
        if schedule.is_over:
            return
        play_round(schedule, places, order)
    raise AssertionError("it does not end")
