"""Every limit is known by its effect: what it forbids does not happen, and happens once the limit is taken away."""

from __future__ import annotations

from typing import Any

import pytest

from tests.server.service.limits import LIMITS, Limit

SECONDS = frozenset({"a slow reader", "connections", "replies that wait"})
"""Limits that take seconds to meet."""


def with_marks(limit: Limit) -> Any:
    """A case that is slow if it has to be."""
    return pytest.param(limit, id=limit.name, marks=[pytest.mark.slow] if limit.name in SECONDS else [])


@pytest.mark.parametrize("limit", [with_marks(limit) for limit in LIMITS])
async def test_a_limit_holds(limit: Limit, monkeypatch: pytest.MonkeyPatch) -> None:
    limit.small(monkeypatch)

    await limit.check()


@pytest.mark.slow
@pytest.mark.parametrize("limit", LIMITS, ids=lambda limit: limit.name)
async def test_without_the_limit_what_it_forbids_is_possible(limit: Limit, monkeypatch: pytest.MonkeyPatch) -> None:
    limit.removed(monkeypatch)

    with pytest.raises(AssertionError):
        await limit.check()
