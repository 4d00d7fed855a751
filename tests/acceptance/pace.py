"""How far clients may play before the next fault comes: on a fast machine, too, there is play left for every fault."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path

__all__ = ["Pace", "granted"]

VARIABLE = "CUTPURSE_PACE"
"""Names the file that says how many choices a client may make; without it, any number."""
_ALL = 1 << 60


def granted() -> int:
    """How many choices a client may make, all in all."""
    pace = os.environ.get(VARIABLE)
    return _ALL if pace is None else int(Path(pace).read_text())


class Pace:
    """What the clients of a folder may play, in shares: for each fault one, so that the play lasts for all of them."""

    def __init__(self, folder: Path, ledgers: Sequence[Path]) -> None:
        """Nothing may be played at first."""
        self.environment = {VARIABLE: str(folder / "pace")}
        self._file = folder / "pace"
        self._ledgers = ledgers
        self._granted = 0
        self._read = dict.fromkeys(ledgers, 0)
        self._acknowledged: dict[Path, set[str]] = {ledger: set() for ledger in ledgers}
        self.grant(0)

    def grant(self, choices: int) -> None:
        """Each client may make so many more."""
        self._granted += choices
        # Whoever reads it meanwhile reads a whole number.
        written = self._file.with_suffix(".new")
        written.write_text(str(self._granted))
        written.replace(self._file)

    def grant_all(self) -> None:
        """No more waiting."""
        self.grant(_ALL)

    @property
    def left(self) -> int:
        """How many choices the client that is ahead has still to make, and to hear of, before it waits."""
        return self._granted - max(self._count(ledger) for ledger in self._ledgers)

    def _count(self, ledger: Path) -> int:
        """How many choices a ledger has replies to, however many replies."""
        if ledger.exists():
            with ledger.open("rb") as file:
                file.seek(self._read[ledger])
                whole = file.read().rpartition(b"\n")[0]
            self._read[ledger] += len(whole) + bool(whole)
            self._acknowledged[ledger].update(_requests(whole.splitlines()))
        return len(self._acknowledged[ledger])


def _requests(lines: Iterable[bytes]) -> Iterable[str]:
    return (json.loads(line)["request"] for line in lines)
