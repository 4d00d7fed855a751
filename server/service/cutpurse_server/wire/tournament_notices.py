"""What was done to a tournament, as those who watch it are told; and what a bot's owner is told of the bot."""

from __future__ import annotations

from cutpurse.v1 import match_pb2, tournament_pb2
from cutpurse_server.tournaments.bot_log import BotLog, BotMatch
from cutpurse_server.tournaments.events import (
    BlockVoided,
    BotsLaunched,
    EntrantEntered,
    EntrantLeft,
    EntrantQuarantined,
    EntrantReleased,
    LeaveCause,
    TournamentCutShort,
    TournamentPaused,
    TournamentResumed,
)
from cutpurse_server.tournaments.record import Told

__all__ = ["bot_log_to_proto", "notice_to_proto"]

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
        case EntrantQuarantined():
            notice.kind, notice.bot = tournament_pb2.TOURNAMENT_NOTICE_KIND_QUARANTINED, told.bot
            notice.text = told.text
        case EntrantReleased():
            notice.kind, notice.bot = tournament_pb2.TOURNAMENT_NOTICE_KIND_RELEASED, told.bot
            notice.text = told.text
        case BotsLaunched():
            notice.kind, notice.text = tournament_pb2.TOURNAMENT_NOTICE_KIND_BOTS_LAUNCHED, told.text
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


def bot_log_to_proto(log: BotLog) -> tournament_pb2.GetBotLogResponse:
    """A part of a bot's own log. Of others it holds nothing."""
    return tournament_pb2.GetBotLogResponse(bot=log.bot, matches=map(_bot_match_to_proto, log.matches), more=log.more)


def _bot_match_to_proto(match: BotMatch) -> tournament_pb2.BotMatch:
    return tournament_pb2.BotMatch(
        match=match.match,
        seat=match.seat,
        placement=match.placement,
        points=float(match.points),
        forfeited=match.forfeited,
        choices=[tournament_pb2.BotChoice(**choice._asdict()) for choice in match.choices],
        faults=[
            tournament_pb2.BotFault(
                kind=tournament_pb2.BotFaultKind.ValueType(fault.kind),
                decision=fault.decision,
                cause=match_pb2.Cause.ValueType(fault.cause),
                notation=fault.notation,
                strike=fault.strike,
            )
            for fault in match.faults
        ],
    )
