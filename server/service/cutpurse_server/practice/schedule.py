"""Which matches are played at home: exactly those of a round robin of the same bots, at one table, with the same seed.

Deals, seats and identifiers follow from the seed and the names alone, as `tournaments/schedule.py` says, so that a
match at home and the same match of `cutpurse tournament run` are one and the same.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.events import Clock, MatchBegun, SeatIdentity
from cutpurse_server.tournaments.blocks import ScheduledMatch
from cutpurse_server.tournaments.deals import DEAL_SLOTS, NO_ENTROPY, deals_secret, match_key, slot_secret
from cutpurse_server.tournaments.events import Entrant, Format, Manifest, TournamentCreated
from cutpurse_server.tournaments.manifests import checked
from cutpurse_server.tournaments.schedule import Schedule

__all__ = ["TOURNAMENT", "home_schedule"]

TOURNAMENT = "cup"
"""What a tournament is called at home unless it is named; match ids begin with it, and bots' lots depend on them."""


def home_schedule(
    game: str, options: Mapping[str, Any], clock: Clock, bots: Sequence[str], seed: str, matches: int
) -> list[MatchBegun]:
    """The first events of the first `matches` matches, in the order of the schedule; their times are 0.

    `seed` is not empty. Raises `ServiceError` for what the game or the service does not allow, naming the culprit.
    """
    assert seed, "with no seed the deals would be drawn anew for every match"
    manifest = checked(
        Manifest(
            tournament=TOURNAMENT,
            game=game,
            options=options,
            clock=clock,
            format=Format.ROUND_ROBIN,
            players=len(bots),
            rounds=-(-matches // max(1, len(bots))),
            concurrency=1,
            deals_root=b"",
            deal_slots=DEAL_SLOTS,
            seed=seed,
        )
    )
    created = TournamentCreated(manifest, b"", deals_secret(seed), 0)
    entrants = sorted(Entrant(bot, _owner(bot)) for bot in bots)
    scheduled = (match for block in Schedule(created, entrants).blocks for match in block.matches(created, 1))
    return [_begun(created, each) for each, _ in zip(scheduled, range(matches), strict=False)]


def _begun(created: TournamentCreated, scheduled: ScheduledMatch) -> MatchBegun:
    manifest, slot = created.manifest, scheduled.origin.slot
    # Without an origin: there is no tournament's log at home that could say when the match's secrets are opened.
    return begin_match(
        scheduled.match,
        manifest.game,
        manifest.options,
        manifest.clock,
        [SeatIdentity(seat.bot, seat.owner) for seat in scheduled.seats],
        0,
        key=match_key(slot_secret(created.deals_secret, slot), NO_ENTROPY, slot, scheduled.origin.attempt),
        rated=False,
    )


def _owner(bot: str) -> str:
    return f"owner-of-{bot}"[:64]
