"""Reports of made-up tournaments, without logs."""

from __future__ import annotations

from collections.abc import Sequence

from cutpurse_server.matches.events import Clock
from cutpurse_server.reports import Report
from cutpurse_server.reports.gathering import BotUse, slow_matches
from cutpurse_server.tournaments.events import BlockCompleted, Format, Manifest
from cutpurse_server.tournaments.matrix import matrix_of
from cutpurse_server.tournaments.oddities import oddities_of
from cutpurse_server.tournaments.ratings import ratings_of
from cutpurse_server.tournaments.standings import standings_of

__all__ = ["made_up_report"]


def made_up_report(
    bots: Sequence[str],
    players: int,
    blocks: Sequence[BlockCompleted],
    uses: dict[str, BotUse] | None = None,
    name: str = "cup",
) -> Report:
    """The report of these blocks; `uses` by bot, where there are any."""
    manifest = Manifest(name, "art_robbery", {}, Clock(), Format.ROUND_ROBIN, players, 1, 1, b"", 0, "")
    ratings = ratings_of(name, bots, blocks)
    standings = standings_of(players, bots, blocks).rows()
    every_use = {row.bot: (uses or {}).get(row.bot, BotUse()) for row in standings}
    return Report(
        manifest=manifest,
        finished=True,
        standings=standings,
        blocks=tuple(blocks),
        ratings=ratings,
        matrix=matrix_of(blocks),
        oddities=oddities_of(ratings, blocks),
        uses=every_use,
        slow=slow_matches(every_use),
    )
