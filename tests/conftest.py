"""The PostgreSQL server of a run's tests that are marked `postgresql`, and what no test is to blame for."""

import logging
import signal
from collections.abc import Iterator

import pytest

from tests.server.log.postgresql_cluster import Cluster, running_cluster


@pytest.fixture(scope="session")
def cluster() -> Iterator[Cluster]:
    with running_cluster() as running:
        yield running


def is_of_this_loop(record: logging.LogRecord) -> bool:
    """Whether a line of asyncio is about the loop of the test that runs.

    gRPC has one completion queue for all loops of a process. What is left in it of a test that is over is told to that
    test's closed loop, which fails in the loop of whatever test runs by then.
    """
    error = record.exc_info[1] if record.exc_info else None
    return not ("PollerCompletionQueue" in record.getMessage() and str(error) == "Event loop is closed")


def pytest_configure() -> None:
    """Leave such lines out of every test's log, and let Ctrl-C mean something to the processes of tests.

    A shell that starts the tests in the background has them ignore it, which processes inherit.
    """
    logging.getLogger("asyncio").addFilter(is_of_this_loop)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
