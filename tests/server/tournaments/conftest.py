"""What all tests of tournaments share."""

from functools import cache

import pytest

from cutpurse_server.tournaments.deals import deals_root

_root = cache(deals_root)


@pytest.fixture(autouse=True)
def _quick_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """The root over all slots takes most of a second, and these tests use few secrets."""
    for user in ("tournaments.organising", "audit.tournament"):
        monkeypatch.setattr(f"cutpurse_server.{user}.deals_root", _root)
