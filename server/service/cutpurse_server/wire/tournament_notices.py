"""What organisers did to a tournament, as those who watch it are told."""

from __future__ import annotations

from cutpurse.v1 import tournament_pb2
from cutpurse_server.tournaments.events import (
    BlockVoided,
    EntrantEntered,
    EntrantLeft,
    LeaveCause,
    TournamentCutShort,
    TournamentPaused,
    TournamentResumed,
)
from cutpurse_server.tournaments.record import Told

__all__ = ["notice_to_proto"]

_LEFT = {
    LeaveCause.WITHDRAWN: tournament_pb2.TOURNAMENT_NOTICE_KIND_WITHDRAWN,
    LeaveCause.DISQUALIFIED: tournament_pb2.TOURNAMENT_NOTICE_KIND_DISQUALIFIED,
}


def notice_to_proto(told: Told) -> tournament_pb2.TournamentNotice:
    """A notice. It names no bot of a block, since a bot must not learn whom it plays."""
    notice = tournament_pb2.TournamentNotice(at_ms=told.at_ms)
    match told:
        case EntrantEntered():
            notice.kind, notice.bot = tournament_pb2.TOURNAMENT_NOTICE_KIND_ENTERED, told.entrant.bot
        case EntrantLeft():
            notice.kind, notice.bot, notice.text = _LEFT[told.cause], told.bot, told.text
        case BlockVoided():
            notice.kind = tournament_pb2.TOURNAMENT_NOTICE_KIND_BLOCK_VOIDED
            notice.round, notice.table = told.round, told.table
            notice.text = told.text or told.cause.name.lower().replace("_", " ")
        case TournamentPaused():
            notice.kind, notice.text = tournament_pb2.TOURNAMENT_NOTICE_KIND_PAUSED, told.text
        case TournamentResumed():
            notice.kind = tournament_pb2.TOURNAMENT_NOTICE_KIND_RESUMED
        case TournamentCutShort():
            notice.kind, notice.text = tournament_pb2.TOURNAMENT_NOTICE_KIND_CUT_SHORT, told.text
    return notice
