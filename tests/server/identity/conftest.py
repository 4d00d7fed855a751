"""A registry with one bot, over a log in memory."""

from __future__ import annotations

import pytest

from cutpurse_server.identity import Registry
from cutpurse_server.wire import identity_events
from tests.server.identity.store import Store


@pytest.fixture
async def store() -> Store:
    """An empty log."""
    made = Store()
    await made.open()
    return made


@pytest.fixture
async def registry(store: Store) -> Registry:
    """A registry that knows one bot."""
    made = Registry(store, identity_events)
    await made.register_bot("greedy", "ada")
    return made
