"""What an audit finds."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

__all__ = ["Finding", "Verdict", "Wrong", "check"]


class Wrong(Exception):
    """Something that an honest log does not hold; the text says what."""


def check(holds: bool, what: str) -> None:
    """Raise `Wrong` unless something holds."""
    if not holds:
        raise Wrong(what)


@dataclass(frozen=True, slots=True)
class Finding:
    """The first thing that is wrong in a log, or with the file."""

    stream: str
    """`match/ID`, `tournament/ID`, or `file`."""
    event: int | None
    """Which event of the log, from 1; None where it is none of them."""
    what: str

    def __str__(self) -> str:
        """One line for people."""
        where = self.stream if self.event is None else f"{self.stream}, event {self.event}"
        return f"{where}: {self.what}"


@dataclass(slots=True)
class Verdict:
    """The outcome of an audit."""

    findings: list[Finding] = field(default_factory=list)
    """The first of each log, in the file's order; at most `FINDINGS_MAX`."""
    checked: Counter[str] = field(default_factory=Counter)
    """How many of what were looked at and found right."""
    not_checked: Counter[str] = field(default_factory=Counter)
    """What this version cannot check, such as signatures."""
    subject: str = ""
    """What the bundle is about: `tournament/ID` or `match/ID`."""
    engine_version: str = ""
    manifest_hash: str = ""
    """Of the tournament's manifest as it stands in the bundle, in hexadecimal; empty for a single match."""

    @property
    def consistent(self) -> bool:
        """Whether nothing is wrong."""
        return not self.findings

    @property
    def words(self) -> str:
        """The verdict in words. Never `honest`: no key that the auditor trusts vouches for the log as a whole."""
        return "internally consistent" if self.consistent else "WRONG"
