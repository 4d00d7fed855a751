"""The backend under test, open."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from cutpurse_server.log.port import Log
from tests.server.log.backends import BACKENDS, Backend

PARAMETERS = [pytest.param(name, marks=[pytest.mark.postgresql] if name == "postgresql" else []) for name in BACKENDS]


@pytest.fixture(params=PARAMETERS)
async def backend(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Backend]:
    made = await BACKENDS[request.param](tmp_path, lambda: request.getfixturevalue("cluster"))
    await made.log.open()
    yield made
    await made.log.close()


@pytest.fixture
def log(backend: Backend) -> Log:
    return backend.log
