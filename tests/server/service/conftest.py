"""The arena as a fixture."""

from collections.abc import AsyncIterator

import pytest

from tests.server.service.arena import Arena, open_arena


@pytest.fixture
async def arena() -> AsyncIterator[Arena]:
    """A running service in memory, with the bots ann, ben and cat."""
    async with open_arena() as arena:
        yield arena
