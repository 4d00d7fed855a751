"""A planted fault: a small change to the shipped rules, and the one test that has to notice it."""

from dataclasses import dataclass
from pathlib import Path

__all__ = ["Fault", "MisfitPatch"]


class MisfitPatch(Exception):
    """A fault's old text does not stand exactly once in its file: the code has moved on, and the fault must follow."""


@dataclass(frozen=True)
class Fault:
    """One fault; a table of a game's faults is a tuple ``FAULTS`` in ``<game>_faults.py``."""

    name: str
    """What is wrong then, in a few words; no two faults of a game share it."""
    file: str
    """Where, from the rules package on: ``shadow_thief/locking.py``."""
    old: str
    """The text that is replaced, exactly once in the file."""
    new: str
    ruling: str
    """What is broken: ``R5``, ``G7``, or a heading of the page; ``secrecy`` for what somebody may not learn."""
    caught_by: str
    """The test that has to fail: its pytest node id below ``tests/rules/``, with its parameters if it has any."""

    def plant(self, package: Path) -> None:
        """Change the copy of the rules package in this folder; raises MisfitPatch if that cannot be."""
        path = package / self.file
        text = path.read_text(encoding="utf-8")
        if (found := text.count(self.old)) != 1:
            raise MisfitPatch(f"{self.name!r}: its old text stands {found} times in {self.file}")
        path.write_text(text.replace(self.old, self.new), encoding="utf-8")
