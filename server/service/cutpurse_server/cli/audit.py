"""`cutpurse audit`: the verdict on a bundle."""

from __future__ import annotations

from pathlib import Path

__all__ = ["audit"]


def audit(bundle: Path) -> None:
    """Check a bundle without the service or a network."""
