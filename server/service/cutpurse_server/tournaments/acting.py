"""What organisers do to a tournament: a record and a command make an event, or None if there is nothing to do.

Pure. Refusals are `ServiceError`s, mostly WRONG_PHASE.
"""

from __future__ import annotations

from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.matches.events import VoidCause
from cutpurse_server.tournaments.events import (
    BlockVoided,
    BotsLaunched,
    Entrant,
    EntrantEntered,
    EntrantLeft,
    EntrantQuarantined,
    EntrantReleased,
    Format,
    LeaveCause,
    TournamentCutShort,
    TournamentPaused,
    TournamentResumed,
    TournamentStarted,
)
from cutpurse_server.tournaments.formats import KINDS
from cutpurse_server.tournaments.manifests import refuse_too_many
from cutpurse_server.tournaments.record import Phase, TournamentRecord
from cutpurse_server.tournaments.schedule import ATTEMPTS_MAX, BlockKey

__all__ = [
    "ABSENCES_MAX",
    "TEXT_BYTES_MAX",
    "cut_short",
    "enter",
    "launch",
    "leave",
    "pause",
    "quarantine",
    "quarantine_due",
    "release",
    "resume",
    "start",
    "void_block",
]

ABSENCES_MAX = 3
"""Completed blocks after one another in which a bot is never ready: then it is waited for no more."""
TEXT_BYTES_MAX = 256


def enter(record: TournamentRecord, entrant: Entrant, now_ms: int) -> EntrantEntered | None:
    """Enter a bot; None if it is entered."""
    bot = entrant.bot
    if bot in record.left:
        raise _wrong_phase(f"{bot} has left this tournament, and nobody enters twice.")
    if bot in record.entrants:
        return None
    late = record.phase is not Phase.ENTRIES
    if record.phase is Phase.FINISHED or (late and not KINDS[record.manifest.format].late_entries):
        raise _wrong_phase("Entries are closed.")
    if entrant.rank and record.manifest.format is not Format.SINGLE_ELIMINATION:
        raise ServiceError(
            ErrorReason.CONFIGURATION_INVALID, "rank: leave it out; only a single elimination is seeded."
        )
    refuse_too_many(record.manifest, len(record.entrants) + 1)
    return EntrantEntered(entrant, now_ms)


def start(record: TournamentRecord, now_ms: int) -> TournamentStarted | None:
    """Close the entries; None if it has begun. Raises WRONG_PHASE without enough entrants."""
    if record.phase is not Phase.ENTRIES:
        return None
    entrants, players = len(record.entrants), record.manifest.players
    if entrants < players:
        raise _wrong_phase(f"{entrants} bots are entered, and a table needs {players}; enter more.")
    challenger = record.manifest.settings.challenger
    if challenger and challenger not in record.entrants:
        raise _wrong_phase(f"The challenger {challenger} is not entered; enter it.")
    return TournamentStarted(now_ms)


def leave(record: TournamentRecord, bot: str, cause: LeaveCause, text: str, now_ms: int) -> EntrantLeft | None:
    """Take a bot out; None if it is out for that cause. Raises BOT_UNKNOWN."""
    _check_text(text, needed=cause is LeaveCause.DISQUALIFIED)
    _check_entered(record, bot)
    if record.phase is Phase.FINISHED:
        raise _wrong_phase("The tournament is finished.")
    before = record.left.get(bot)
    if before is cause or before is LeaveCause.DISQUALIFIED:
        return None
    return EntrantLeft(bot, cause, text, now_ms)


def quarantine(record: TournamentRecord, bot: str, text: str, now_ms: int) -> EntrantQuarantined | None:
    """Wait no more for a bot; None if it is in quarantine, or has left. Raises BOT_UNKNOWN."""
    _check_text(text, needed=True)
    _check_entered(record, bot)
    _check_running(record)
    gone = bot in record.quarantined or bot in record.left
    return None if gone else EntrantQuarantined(bot, text, now_ms)


def quarantine_due(record: TournamentRecord, now_ms: int) -> EntrantQuarantined | None:
    """The quarantine of a bot for which too many blocks were waited in vain, if one is due; the first by name.

    Only absences count. A bot that is there and plays badly keeps nobody waiting, and what it does in its next match
    nobody knows; one that was absent plays the same defaults in quarantine and out of it. So it does not matter to the
    results when exactly a quarantine begins.
    """
    schedule = record.schedule
    assert schedule is not None
    for bot, blocks in sorted(record.absences.items()):
        gone = bot in record.quarantined or bot in record.left
        if blocks >= ABSENCES_MAX and not gone and not schedule.is_over:
            text = f"it was not ready in any match of {blocks} blocks after one another"
            return EntrantQuarantined(bot, text, now_ms)
    return None


def release(record: TournamentRecord, bot: str, text: str, now_ms: int) -> EntrantReleased | None:
    """Wait for a bot again; None if it is not in quarantine. Raises BOT_UNKNOWN."""
    _check_text(text)
    _check_entered(record, bot)
    _check_running(record)
    return EntrantReleased(bot, text, now_ms) if bot in record.quarantined else None


def launch(record: TournamentRecord, text: str, now_ms: int) -> BotsLaunched | None:
    """Note how bots are launched here; None if that is known."""
    _check_text(text, needed=True)
    _check_running(record)
    return None if record.launched == text else BotsLaunched(text, now_ms)


def pause(record: TournamentRecord, text: str, now_ms: int) -> TournamentPaused | None:
    """Begin no further matches; None if that is so."""
    _check_text(text)
    _check_running(record)
    return None if record.paused else TournamentPaused(text, now_ms)


def resume(record: TournamentRecord, now_ms: int) -> TournamentResumed | None:
    """Go on; None if it is not paused."""
    _check_running(record)
    return TournamentResumed(now_ms) if record.paused else None


def void_block(record: TournamentRecord, key: BlockKey, text: str, now_ms: int) -> BlockVoided:
    """Void a block that is being played or completed."""
    _check_text(text, needed=True)
    _check_running(record)
    schedule = record.schedule
    assert schedule is not None
    completed = record.completed.get(key)
    if schedule.block(key) is None:
        raise ServiceError(ErrorReason.MALFORMED, f"There is no table {key.table} in round {key.round} so far.")
    attempt = record.attempt(key) if completed is None else completed.attempt
    if attempt is None:
        raise _wrong_phase("The block has come to nothing before.")
    if completed is not None and not schedule.can_be_taken_back(key):
        raise _wrong_phase("What came after it was drawn from its result; it cannot be taken back any more.")
    assert attempt <= ATTEMPTS_MAX
    return BlockVoided(*key, attempt, VoidCause.ABORTED, now_ms, text)


def cut_short(record: TournamentRecord, text: str, now_ms: int) -> TournamentCutShort | None:
    """End the tournament; None if that was done, or it is finished."""
    _check_text(text, needed=True)
    if record.phase is Phase.FINISHED or any(isinstance(told, TournamentCutShort) for told in record.told):
        return None
    _check_running(record)
    return TournamentCutShort(text, now_ms)


def _check_running(record: TournamentRecord) -> None:
    if record.phase is not Phase.RUNNING:
        why = "has not begun" if record.phase is Phase.ENTRIES else "is finished"
        raise _wrong_phase(f"The tournament {why}.")


def _check_entered(record: TournamentRecord, bot: str) -> None:
    if bot not in record.entrants:
        raise ServiceError(ErrorReason.BOT_UNKNOWN, f"{bot[:64]!r} is not entered in this tournament.")


def _check_text(text: str, *, needed: bool = False) -> None:
    if len(text.encode()) > TEXT_BYTES_MAX or (needed and not text.strip()):
        raise ServiceError(ErrorReason.MALFORMED, f"text: say why, in 1 to {TEXT_BYTES_MAX} bytes.")


def _wrong_phase(text: str) -> ServiceError:
    return ServiceError(ErrorReason.WRONG_PHASE, text)
