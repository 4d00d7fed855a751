"""The audit of a bundle: one pass, one match in memory at a time, from the file down to every choice."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Sequence

from cutpurse_server.audit.beginning import check_scheduled
from cutpurse_server.audit.plain import PlainReplay
from cutpurse_server.audit.replay import MatchReplay
from cutpurse_server.audit.sealed import opened
from cutpurse_server.audit.tournament import ExpectedMatch, TournamentReplay
from cutpurse_server.audit.verdict import Finding, Verdict, Wrong, check
from cutpurse_server.log.chain import NO_MANIFEST, first_link, links
from cutpurse_server.log.port import StoredEvent, UnreadableEvent
from cutpurse_server.matches.events import MatchBegun
from cutpurse_server.tournaments.events import BlockVoided, manifest_hash
from cutpurse_server.tournaments.schedule import ScheduledMatch
from cutpurse_server.wire import match_events, tournament_events
from cutpurse_server.wire.bundle import BadBundle, BundleReader, ExportedLog

__all__ = ["FINDINGS_MAX", "audit"]

FINDINGS_MAX = 20
"""After so many wrong logs the audit stops."""

Told = Callable[[int, int], None]
"""Told bytes done and bytes altogether, after every log."""


def audit(data: bytes | mmap.mmap, told: Told | None = None) -> Verdict:
    """The verdict on a bundle file, as bytes or mapped. Never raises for anything that the file holds."""
    verdict = Verdict()
    try:
        reader = BundleReader(data)
        if not reader.digest_matches:
            # What follows is looked at all the same, since that may tell which event was touched.
            verdict.findings.append(Finding("file", None, "the digest in its second line is not that of what follows"))
        auditing = _Auditing(verdict)
        for end, part, is_match in reader.parts():
            if isinstance(part, str):
                verdict.engine_version = part
            elif is_match:
                auditing.match(part)
            else:
                auditing.tournament(part)
            if told is not None:
                told(end, reader.size)
            if len(verdict.findings) >= FINDINGS_MAX:
                return verdict
        auditing.finish()
    except BadBundle as bad:
        verdict.findings.append(Finding("file", None, str(bad)))
    return verdict


class _Auditing:
    """What an audit knows between two logs."""

    def __init__(self, verdict: Verdict) -> None:
        self._verdict = verdict
        self._replay: TournamentReplay | None = None
        """Of the tournament, if the bundle has one and its log is right."""
        self._broken = False
        """The tournament's log is wrong, so nothing is known of what its matches should be."""
        self._expected: dict[str, ExpectedMatch] = {}
        """By match, in schedule order."""
        self._order: dict[str, int] = {}
        self._last = -1
        self._voids_due: dict[BlockVoided, ScheduledMatch] = {}
        """Voided blocks for which no match voided for their cause was seen, each with its first match."""
        self._seen = 0

    def tournament(self, log: ExportedLog) -> None:
        """The tournament's log."""
        stream = f"tournament/{log.id}"
        self._verdict.subject = stream
        replay = TournamentReplay(log.id)

        first = first_link(log.id)

        def read(events: Sequence[StoredEvent], at: int) -> int:
            replay.step(opened(events[at], tournament_events.decode_with_commitment))
            return at + 1

        chain = self._walk(stream, log.events, first, read)
        if replay.created is not None:
            self._verdict.manifest_hash = manifest_hash(replay.created.manifest_bytes).hex()
        if chain is not None and replay.finished is None:
            self._find(stream, len(log.events), "the log stops before the tournament is finished")
            chain = None
        if chain is None:
            self._broken = True
            return
        self._replay = replay
        for expected in replay.matches():
            match = expected.scheduled.match
            self._order[match] = len(self._order)
            self._expected[match] = expected
            if expected.voided is not None and not expected.voided.text:
                self._voids_due.setdefault(expected.voided, expected.scheduled)
        assert replay.created is not None, "a log that was right began with it"
        self._verdict.checked["deals committed to"] = replay.created.manifest.deal_slots
        self._verdict.checked["blocks"] = len({expected.scheduled.origin[1:3] for expected in replay.matches()})

    def match(self, log: ExportedLog) -> None:
        """A match's log."""
        stream = f"match/{log.id}"
        self._seen += 1
        if not self._verdict.subject:
            self._verdict.subject = stream
        expected = self._place(stream, log.id)
        try:
            begun, replay = self._begin(log, expected)
        except (Wrong, UnreadableEvent) as wrong:
            self._find(stream, 1, str(wrong))
            return
        first = first_link(log.id, begun.manifest_hash or NO_MANIFEST)
        chain = self._walk(stream, log.events, first, replay.read)
        if chain is None:
            return
        try:
            check(replay.over, "the log stops before the match is over")
            self._compare(replay, expected, chain, len(log.events))
        except Wrong as wrong:
            self._find(stream, len(log.events), str(wrong))
            return
        self._verdict.checked.update(replay.counts)
        self._verdict.checked["matches"] += 1
        if replay.signatures:
            self._verdict.not_checked["signatures"] += replay.signatures
        if self._replay is None and begun.manifest_hash:
            self._verdict.not_checked["places in a tournament that is not in the bundle"] += 1

    def _begin(self, log: ExportedLog, expected: ExpectedMatch | None) -> tuple[MatchBegun, MatchReplay]:
        """A match's first event, by itself and as one of the schedule; raises `Wrong` or `UnreadableEvent`."""
        check(bool(log.events), "the log is empty")
        begun = match_events.decode(log.events[0])
        if not isinstance(begun, MatchBegun):
            raise Wrong("a match's log begins with MatchBegun")
        check(begun.match == log.id, f"this is the log of {begun.match!r}")
        check(len(begun.manifest_hash) in (0, len(NO_MANIFEST)), "the manifest hash has the wrong length")
        if expected is not None and self._replay is not None:
            assert self._replay.created is not None
            check_scheduled(begun, expected.scheduled, self._replay.created)
            check(begun.at_ms >= self._replay.started_ms, "it began before the tournament did")
            for seat in begun.quarantined:
                bot = begun.seats[seat].bot
                check(self._replay.was_quarantined(bot, begun.at_ms), f"{bot} was not in quarantine")
        return begun, PlainReplay(begun)

    def finish(self) -> None:
        """What must have been in the file."""
        if not self._verdict.engine_version:
            self._find("file", None, "the engine's version is missing")
        if self._replay is None and not self._broken and self._seen != 1:
            self._find("file", None, f"a bundle without a tournament holds one match, not {self._seen}")
        for match, expected in self._expected.items():
            if expected.completed is not None and self._order[match] > self._last:
                self._find_missing(expected)
        for voided, first in self._voids_due.items():
            if not self._verdict.findings:
                self._find(
                    f"match/{first.match}",
                    None,
                    f"its block was voided, and none of its matches for cause {int(voided.cause)}: {_where(first)}",
                )

    def _place(self, stream: str, match: str) -> ExpectedMatch | None:
        """Where a match stands in the schedule; finds it if it is unknown, comes twice, or passes over another."""
        if self._replay is None:
            return None
        expected = self._expected.get(match)
        if expected is None:
            self._find(stream, None, "the schedule has no such match")
            return None
        place = self._order[match]
        if place <= self._last:
            self._find(stream, None, "it comes twice, or out of the schedule's order")
            return expected
        names = list(self._expected)[self._last + 1 : place] if place > self._last + 1 else ()
        for missing in names:
            if self._expected[missing].completed is not None:
                self._find_missing(self._expected[missing])
        self._last = place
        return expected

    def _compare(self, replay: MatchReplay, expected: ExpectedMatch | None, chain: bytes, version: int) -> None:
        """What the tournament's log says of a match against the match's own log; raises `Wrong`."""
        if expected is None:
            return
        completed = expected.completed
        if completed is None:
            if replay.voided is not None:
                assert expected.voided is not None
                if replay.voided.cause == expected.voided.cause:
                    self._voids_due.pop(expected.voided, None)
            return
        if replay.ended is None:
            raise Wrong("it was voided, and its block counts")
        check(version == completed.version, f"the tournament's log says that it has {completed.version} events")
        check(chain == completed.head, "its chain does not end in the head that the tournament's log names")
        check(replay.absent == completed.absent, "the tournament's log names other seats as absent")
        check(replay.ended.outcome == completed.outcome, "its result is not the one that the tournament's log names")

    def _walk(
        self,
        stream: str,
        events: Sequence[StoredEvent],
        first: bytes,
        read: Callable[[Sequence[StoredEvent], int], int],
    ) -> bytes | None:
        """Every event of a log, by `read`, which returns how far it came. The chain's head, or None after a finding."""
        at = 0
        try:
            while at < len(events):
                at = read(events, at)
        except (Wrong, UnreadableEvent) as wrong:
            self._find(stream, at + 1, str(wrong))
            return None
        except Exception as failure:
            # A log that makes the audit itself stumble is not right, and must not keep the rest from being judged.
            self._find(stream, at + 1, f"it cannot be judged: {type(failure).__name__}")
            return None
        self._verdict.checked["events"] += len(events)
        return links(first, events)

    def _find_missing(self, expected: ExpectedMatch) -> None:
        scheduled = expected.scheduled
        self._find(f"match/{scheduled.match}", None, f"its log is missing: {_where(scheduled)}")

    def _find(self, stream: str, event: int | None, what: str) -> None:
        if len(self._verdict.findings) < FINDINGS_MAX:
            self._verdict.findings.append(Finding(stream, event, what))


def _where(scheduled: ScheduledMatch) -> str:
    """A match's place for people, who cannot read it from the id."""
    origin = scheduled.origin
    return f"round {origin.round}, table {origin.table}, rotation {origin.rotation}, attempt {origin.attempt}"
