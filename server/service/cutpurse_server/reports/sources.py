"""Where reports come from: a log, or a bundle. Only completed blocks are looked at: what runs stays secret."""

from __future__ import annotations

import mmap

from cutpurse_server.audit.tournament import TournamentReplay
from cutpurse_server.audit.verdict import Wrong
from cutpurse_server.log.port import Log, UnreadableEvent
from cutpurse_server.matches.desk import stream_of
from cutpurse_server.reports.report import Gathering, NoReport, Report
from cutpurse_server.tournaments.record import TournamentRecord
from cutpurse_server.tournaments.store import TournamentStore
from cutpurse_server.wire import tournament_events
from cutpurse_server.wire.bundle import BadBundle, BundleReader, ExportedLog

__all__ = ["NoReport", "report_of_bundle", "report_of_log"]


async def report_of_log(log: Log, tournament: str) -> Report:
    """The report of a tournament, running or finished. Raises `NoReport`; the log's own errors pass through."""
    record = await TournamentStore(log, tournament_events).read(tournament)
    if record is None:
        names = sorted(stream.removeprefix("tournament/") for stream in await log.streams("tournament"))
        raise NoReport(f"the log holds no tournament {tournament!r}; it holds {', '.join(names) or 'none'}")
    gathering = Gathering(record)
    for match in gathering.wanted:
        gathering.add(match, await log.read(stream_of(match)))
    return gathering.report()


def report_of_bundle(data: bytes | mmap.mmap) -> Report:
    """The report of a bundle's tournament; raises `NoReport`.

    The tournament's own log is audited, and every match must be the one that it names; whether matches were played by
    the rules, only `cutpurse audit` says.
    """
    gathering: Gathering | None = None
    try:
        reader = BundleReader(data)
        if not reader.digest_matches:
            raise NoReport("the file is damaged: its digest is not that of what it holds")
        wanted: set[str] = set()
        for _, part, is_match in reader.parts():
            if isinstance(part, str):
                continue
            if not is_match:
                gathering = Gathering(_record_of(part))
                wanted.update(gathering.wanted)
            elif gathering is not None and part.id in wanted:
                wanted.remove(part.id)
                gathering.add(part.id, part.events)
    except BadBundle as bad:
        raise NoReport(f"the file is no sound bundle: {bad}") from None
    if gathering is None:
        raise NoReport("the bundle holds no tournament but a single match; `cutpurse log show` tells it")
    return gathering.report()


def _record_of(log: ExportedLog) -> TournamentRecord:
    replay = TournamentReplay(log.id)
    try:
        events = [tournament_events.decode(each) for each in log.events]
        for event in events:
            replay.step(event)
    except (UnreadableEvent, Wrong) as wrong:
        raise NoReport(f"the tournament's log is wrong: {wrong}; `cutpurse audit` says more") from None
    if not events:
        raise NoReport("the tournament's log is empty")
    return TournamentRecord.of(events, log.events)
