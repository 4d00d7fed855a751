"""The PostgreSQL server of a run's tests that are marked `postgresql`."""

from collections.abc import Iterator

import pytest

from tests.server.log.postgresql_cluster import Cluster, running_cluster


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    with running_cluster() as running:
        yield running
