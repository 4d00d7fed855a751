"""Each bug of a store, or of whoever stands above or before it, makes the test fail that is there to notice it."""

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import apsw
import grpc
import pytest

from cutpurse_server.log import sqlite_file
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.sqlite import SQLiteLog
from cutpurse_server.matches import pulse
from tests.faults import planted_store_bugs as planted
from tests.faults import test_deadlines_in_the_transaction, test_faulty_store, test_power_loss
from tests.faults.planted_store_bugs import Patch, Plant
from tests.sdk import test_reconnect
from tests.server.log import (
    test_log_contract,
    test_postgresql,
    test_postgresql_failing,
    test_postgresql_known_versions,
    test_sqlite,
    test_sqlite_failing_disk,
)
from tests.server.log.backends import InPostgreSQL
from tests.server.log.failing_disk import failing_disk
from tests.server.log.postgresql_cluster import Cluster
from tests.server.service import arena, test_outages
from tests.server.service.failing_log import FailingLog

Test = Callable[..., Awaitable[None]]

POWER: Test = test_power_loss.test_losses_of_power_lose_nothing_acknowledged_and_leave_nothing_half
FAULTY_STORE: Test = test_faulty_store.test_a_faulty_store_loses_no_acknowledged_choice_and_every_reply_stays_the_same
OUTAGE: Test = test_outages.test_a_unary_choice_says_unavailable_and_its_repetition_gets_the_reply
IN_TIME: Test = test_deadlines_in_the_transaction.test_a_choice_in_time_wins_over_a_deadline_that_was_noticed_before
RETRY: Test = test_reconnect.test_an_answer_without_a_reply_is_said_again_with_the_same_request_id
FAILING_DISK: Test = (
    test_sqlite_failing_disk.test_wherever_the_disk_fails_a_flush_is_whole_or_absent_and_the_log_goes_on
)
TAKEN_ONCE: Test = test_log_contract.test_an_append_is_taken_once
MOVED_HEAD: Test = test_sqlite.test_a_head_that_somebody_else_has_moved_is_not_moved_on
APPEND_ONLY: Test = test_sqlite.test_what_stands_cannot_be_changed_or_removed
BOTH_KNOW: Test = test_postgresql_known_versions.test_replicas_that_know_of_a_version_add_to_it_once
FAILED_COMMIT: Test = test_postgresql_failing.test_a_commit_that_fails_or_is_not_answered_is_no_success
SETTINGS_KEPT: Test = test_postgresql.test_nothing_that_others_set_lowers_the_commit
DATABASE_APPEND_ONLY: Test = test_postgresql.test_nothing_is_changed_or_removed

NOTICED = (AssertionError, ExceptionGroup, grpc.aio.AioRpcError, pytest.fail.Exception)
"""How a test fails that does not merely wait for too long."""

UPDATE = {"statement": "UPDATE appends SET events = x'00'", "words": "append-only"}
FULL = {"failure": apsw.FullError, "commit_inline_s": 10.0}

BUGS: list[tuple[Plant, Test, dict[str, Any]]] = [
    (planted.acknowledged_before_the_commit_by_the_desk, OUTAGE, {"fault": "flushes only"}),
    (planted.acknowledged_before_the_commit_by_the_desk, FAULTY_STORE, {}),
    (planted.acknowledged_before_the_commit_by_the_store, POWER, {}),
    (planted.replies_kept_by_the_process_alone, OUTAGE, {"fault": "after the commit"}),
    (planted.replies_kept_by_the_process_alone, FAULTY_STORE, {}),
    (planted.replies_kept_before_the_commit, OUTAGE, {"fault": "flushes only"}),
    (planted.missing_guard_of_a_version, TAKEN_ONCE, {"log": SQLiteLog}),
    (planted.missing_guard_of_a_head, MOVED_HEAD, {"log": SQLiteLog}),
    (planted.synchronous_normal, POWER, {}),
    (planted.synchronous_off, POWER, {}),
    (planted.new_id_per_retry_of_the_sdk, RETRY, {}),
    (planted.new_id_per_retry_of_a_seat, FAULTY_STORE, {}),
    (planted.swallowed_error_of_the_disk, FAILING_DISK, FULL),
    (planted.swallowed_error_of_the_log, OUTAGE, {"fault": "flushes only"}),
    (planted.deadline_checked_outside_the_transaction, IN_TIME, {}),
    (planted.missing_triggers, APPEND_ONLY, {"log": SQLiteLog} | UPDATE),
    (planted.event_updated, POWER, {}),
    (planted.half_a_command_appended_in_a_flush, POWER, {}),
    (planted.half_a_command_appended_in_a_flush, FAILING_DISK, FULL),
    (planted.head_moved_before_its_events_are_there, POWER, {}),
]
RAISED = {"what": "RAISE disk_full"}
DELETE = {"statement": "DELETE FROM cutpurse.appends", "way": "as owner"}
IN_POSTGRESQL: list[tuple[Plant, Test, dict[str, Any]]] = [
    (planted.missing_guard_of_a_head_in_postgresql, TAKEN_ONCE, {}),
    (planted.missing_unique_key_in_postgresql, BOTH_KNOW, {}),
    (planted.event_updated_in_postgresql, BOTH_KNOW, {}),
    (planted.acknowledged_before_the_commit_by_postgresql, FAILED_COMMIT, RAISED),
    (planted.swallowed_error_of_postgresql, FAILED_COMMIT, RAISED),
    (planted.half_a_command_appended_in_postgresql, FAILED_COMMIT, RAISED),
    (planted.synchronous_commit_off, SETTINGS_KEPT, {}),
    (planted.missing_triggers_in_postgresql, DATABASE_APPEND_ONLY, DELETE),
]


async def run(test: Test, given: dict[str, Any], folder: Path, patch: Patch) -> None:
    """Run a test with what it asks for: a log, an arena or a disk of its own, or what is given."""
    wanted = inspect.signature(test).parameters.keys()
    path = folder / "log.sqlite"
    arguments: dict[str, Any] = {"tmp_path": folder, "folder": folder, "path": path, "monkeypatch": patch} | given
    async with AsyncExitStack() as stack:
        if "disk" in wanted:
            patch.setattr(sqlite_file, "WAL_BYTES", 100_000)
            disk = arguments["disk"] = stack.enter_context(failing_disk())
            await stack.enter_async_context(closing_logs(patch))
            stack.callback(disk.work_again)
        if "arena" in wanted:
            arguments["log"] = FailingLog(MemoryLog())
            arguments["arena"] = await stack.enter_async_context(arena.open_arena(arguments["log"]))
        elif "log" in wanted:
            log = SQLiteLog(path) if given.get("log") is SQLiteLog else MemoryLog()
            await log.open()
            stack.push_async_callback(log.close)
            arguments["log"] = log
        await test(**{name: arguments[name] for name in wanted})


@asynccontextmanager
async def closing_logs(patch: Patch) -> AsyncIterator[None]:
    """Close what a test that fails leaves open, as long as its disk is there."""
    opened: list[SQLiteLog] = []
    original = SQLiteLog.open

    async def noted(self: SQLiteLog) -> None:
        opened.append(self)
        await original(self)

    patch.setattr(SQLiteLog, "open", noted)
    yield
    for log in opened:
        await log.close()


@pytest.fixture(autouse=True)
def soon(monkeypatch: Patch) -> None:
    """A log that is back is noticed soon; that it has gone, by whoever writes first, and not by chance by the pulse."""
    monkeypatch.setattr(pulse, "_RETRY_S", 0.002)


@pytest.mark.slow
@pytest.mark.parametrize(("plant", "test", "given"), BUGS, ids=[plant.__name__ for plant, _, _ in BUGS])
async def test_a_planted_bug_is_noticed(
    plant: Plant, test: Test, given: dict[str, Any], monkeypatch: Patch, tmp_path: Path
) -> None:
    plant(monkeypatch)

    with pytest.raises(NOTICED) as noticed:
        await run(test, given, tmp_path, monkeypatch)
    print(repr(noticed.value))


@pytest.mark.postgresql
@pytest.mark.parametrize(
    ("plant", "test", "given"), IN_POSTGRESQL, ids=[plant.__name__ for plant, _, _ in IN_POSTGRESQL]
)
async def test_a_planted_bug_of_the_shared_store_is_noticed(
    plant: Plant, test: Test, given: dict[str, Any], monkeypatch: Patch, cluster: Cluster
) -> None:
    plant(monkeypatch)
    database = await cluster.create_database()
    async with AsyncExitStack() as stack:
        arguments: dict[str, Any] = {"cluster": cluster, "database": database} | given
        for name in ("log", "other"):
            log = arguments[name] = InPostgreSQL(cluster.address(database)).log
            await log.open()
            stack.push_async_callback(log.close)

        with pytest.raises(NOTICED):
            await test(**{name: arguments[name] for name in inspect.signature(test).parameters})


@pytest.mark.parametrize(
    "test", dict.fromkeys(test for _, test, _ in [*BUGS, *IN_POSTGRESQL]), ids=lambda test: str(test.__name__)
)
def test_what_notices_a_bug_is_a_test_of_its_own(test: Test) -> None:
    assert test.__name__.startswith("test_")
    assert inspect.getmodule(test) is not inspect.getmodule(run)


def test_every_bug_that_was_planted_is_in_the_table() -> None:
    plants = {name for name in planted.__all__ if name not in ("Patch", "Plant")}

    assert plants == {plant.__name__ for plant in (each[0] for each in [*BUGS, *IN_POSTGRESQL])}
