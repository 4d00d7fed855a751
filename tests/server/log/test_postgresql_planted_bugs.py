"""Bugs planted in the statement that writes a flush are found by the contract suite."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from cutpurse_server.log import postgresql
from cutpurse_server.log.port import Log, LogUnavailable
from cutpurse_server.log.postgresql import PostgreSQLLog
from tests.server.log import test_log_contract as contract
from tests.server.log.postgresql_cluster import Cluster

pytestmark = pytest.mark.postgresql

Shown = Callable[[Log], Awaitable[None]]


async def at_a_later_version(log: Log) -> None:
    """See the test of the contract."""
    await contract.test_an_append_at_another_version_does_not_take_place(log, 3)


async def after_the_end(log: Log) -> None:
    """See the test of the contract."""
    await contract.test_nothing_is_added_to_a_closed_stream(log, 1)


PLANTED: list[tuple[str, str, Shown]] = [
    # A head that is moved wherever it stands.
    (" AND heads.version = asked.expected", "", at_a_later_version),
    # A stream that goes on after its end.
    (" AND NOT heads.closed", "", after_the_end),
    # An end that is not written down.
    (", closed = asked.closed", "", after_the_end),
    # A chain value that is left behind.
    (", chain = asked.chain", "", contract.test_one_stale_append_among_moves_leaves_the_others_whole),
    # A head that is moved without its events.
    ("SELECT key, version, events FROM moved\n    UNION ALL\n", "", contract.test_an_append_is_taken_once),
    # Events of an append that did not take place.
    (
        "SELECT begun.key, begun.version, asked.events FROM begun JOIN asked USING (stream)",
        "SELECT heads.key, asked.version + 1, asked.events FROM asked JOIN cutpurse.heads USING (stream) "
        "WHERE heads.version <> asked.expected UNION ALL "
        "SELECT begun.key, begun.version, asked.events FROM begun JOIN asked USING (stream)",
        contract.test_an_append_is_taken_once,
    ),
    # One command that spoils the whole flush.
    (
        "ON CONFLICT (stream) DO NOTHING",
        "ON CONFLICT (stream) DO UPDATE SET version = heads.version",
        contract.test_an_append_is_taken_once,
    ),
    # An answer that says of every append that it took place.
    (
        "SELECT stream FROM moved UNION ALL SELECT stream FROM begun\n",
        "SELECT stream FROM moved UNION ALL SELECT stream FROM begun UNION SELECT stream FROM asked\n",
        contract.test_an_append_is_taken_once,
    ),
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
