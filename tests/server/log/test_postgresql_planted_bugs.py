"""Bugs planted in the statement that writes a flush are found by the contract suite."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from cutpurse_server.log import postgresql
from cutpurse_server.log.port import Log, LogUnavailable
from cutpurse_server.log.postgresql import PostgreSQLLog
from tests.server.log import test_log_contract as contract
from tests.server.log import test_postgresql_known_versions as known_versions
from tests.server.log.postgresql_cluster import Cluster

pytestmark = pytest.mark.postgresql

Shown = Callable[[Log], Awaitable[None]]


async def at_a_later_version(log: Log) -> None:
    """See the test of the contract."""
    await contract.test_an_append_at_another_version_does_not_take_place(log, 3)


async def after_the_end(log: Log) -> None:
    """See the test of the contract."""
    await contract.test_nothing_is_added_to_a_closed_stream(log, 1)


async def by_two_replicas(log: Log) -> None:
    """See the tests of what replicas know."""
    assert isinstance(log, PostgreSQLLog)
    other = PostgreSQLLog(log._server._address)
    await other.open()
    try:
        await known_versions.test_replicas_that_know_of_a_version_add_to_it_once(log, other)
    finally:
        await other.close()


PLANTED: list[tuple[str, str, Shown]] = [
    # A stream that is added to wherever it stands.
    ("WHERE known OR", "WHERE true OR", at_a_later_version),
    # A stream that goes on after its end.
    ("CASE WHEN last.closed THEN -1 ELSE last.version END", "last.version", after_the_end),
    # An end that is not written down.
    ("SELECT stream, expected, version, closed,", "SELECT stream, expected, version, false,", after_the_end),
    # A chain value that is left behind.
    (
        "closed, chain, events\nFROM",
        "closed, decode(repeat('00', 32), 'hex'), events\nFROM",
        contract.test_one_stale_append_among_moves_leaves_the_others_whole,
    ),
    # A version that does not count the events.
    (
        "SELECT stream, expected, version,",
        "SELECT stream, expected, expected + 1,",
        contract.test_one_stale_append_among_moves_leaves_the_others_whole,
    ),
    # One command that spoils the whole flush.
    ("ON CONFLICT (stream, expected) DO NOTHING", "", by_two_replicas),
    # An event that is updated: the append of whoever comes later takes the place of the earlier one.
    ("DO NOTHING", "DO UPDATE SET events = excluded.events", by_two_replicas),
]


@pytest.mark.parametrize(("right", "wrong", "show"), PLANTED)
async def test_a_planted_bug_is_found(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch, right: str, wrong: str, show: Shown
) -> None:
    assert right in postgresql._FLUSH
    log = PostgreSQLLog(cluster.address(await cluster.create_database()))
    await log.open()
    monkeypatch.setattr(postgresql, "_FLUSH", postgresql._FLUSH.replace(right, wrong))

    with pytest.raises((AssertionError, LogUnavailable)):
        await show(log)

    await log.close()


@pytest.mark.parametrize("show", list(dict.fromkeys(show for _, _, show in PLANTED)))
async def test_without_the_bug_the_same_tests_pass(cluster: Cluster, show: Shown) -> None:
    log = PostgreSQLLog(cluster.address(await cluster.create_database()))
    await log.open()

    await show(log)

    await log.close()
