"""What is SQLite's alone: durability settings, ownership, and tables that only grow."""

import asyncio
import sqlite3
import stat
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw
import pytest

from cutpurse_server.log import sqlite, sqlite_file
from cutpurse_server.log.port import Head, LogUnavailable, StoredEvent, Version
from cutpurse_server.log.sqlite import SQLiteLog
from cutpurse_server.log.sqlite_file import PRAGMAS, WAL_BYTES
from tests.server.log.backends import append, chain_at, event


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "log.sqlite"


@pytest.fixture
async def log(path: Path) -> AsyncIterator[SQLiteLog]:
    opened = SQLiteLog(path)
    await opened.open()
    yield opened
    await opened.close()


def connection_of(log: SQLiteLog) -> apsw.Connection:
    """The connection that the log uses; nobody else can have one."""
    assert log._connection is not None
    return log._connection


def wal_bytes(path: Path) -> int:
    """How long the write-ahead log is."""
    return Path(f"{path}-wal").stat().st_size


def content(path: Path) -> bytes:
    """What a file holds."""
    return path.read_bytes()


def program(text: str, *arguments: Path) -> str:
    """What a Python program prints, run in a process of its own: SQLite's locks belong to processes."""
    return subprocess.run([sys.executable, "-c", text, *arguments], capture_output=True, text=True, check=True).stdout


# Settings.


async def test_the_settings_that_durability_rests_on_hold(log: SQLiteLog) -> None:
    connection = connection_of(log)

    assert connection.pragma("journal_mode") == "wal"
    assert connection.pragma("synchronous") == 2
    assert {name: connection.pragma(name) for name in PRAGMAS} == {name: found for name, (_, found) in PRAGMAS.items()}


LOWERED = [
    ("journal_mode", "DELETE"),
    ("journal_mode", "MEMORY"),
    ("synchronous", "NORMAL"),
    ("synchronous", "OFF"),
    ("fullfsync", "OFF"),
    ("checkpoint_fullfsync", "OFF"),
    ("wal_autocheckpoint", "0"),
    ("recursive_triggers", "OFF"),
]


@pytest.mark.parametrize(("name", "setting"), LOWERED)
async def test_a_lowered_setting_is_noticed_at_opening(
    path: Path, monkeypatch: pytest.MonkeyPatch, name: str, setting: str
) -> None:
    monkeypatch.setitem(sqlite_file.PRAGMAS, name, (setting, PRAGMAS[name][1]))
    log = SQLiteLog(path)

    with pytest.raises(LogUnavailable, match=f"not be durable: SQLite answers {name}="):
        await log.open()

    monkeypatch.undo()
    await log.open()
    await log.close()


async def test_an_sqlite_that_destroys_databases_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert sqlite_file.SQLITE_MINIMUM == (3, 51, 3)
    monkeypatch.setattr(sqlite_file, "SQLITE_MINIMUM", (99, 0, 0))

    with pytest.raises(LogUnavailable, match=r"Install an apsw that brings 99\.0\.0"):
        await SQLiteLog(path).open()


async def test_the_file_with_everybodys_cards_is_for_its_owner_only(log: SQLiteLog, path: Path) -> None:
    await log.flush([append("match/a", 0)])

    for file in (path, Path(f"{path}-wal"), Path(f"{path}.lock")):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600, file


async def test_time_goes_on_from_the_last_beat_when_the_wall_clock_was_put_back(log: SQLiteLog, path: Path) -> None:
    future_ms = log.now_ms() + 3_600_000
    log._clock.not_before(future_ms)
    await log.beat()
    await log.close()

    again = SQLiteLog(path)
    await again.open()

    assert again.now_ms() >= future_ms
    await again.close()


async def test_the_wal_stays_bounded(log: SQLiteLog, path: Path) -> None:
    large = StoredEvent(b"p" * 3_000, b"s" * 3_000, bytes(32))
    largest = 0
    for version in range(2_000):
        assert await log.flush([append(f"match/{stream}", version, [large]) for stream in range(4)]) == [True] * 4
        largest = max(largest, wal_bytes(path))

    written = 2_000 * 4 * 6_000
    assert largest < 1.1 * WAL_BYTES < written / 2


async def test_commits_write_over_a_wal_that_has_its_length_from_the_beginning(log: SQLiteLog, path: Path) -> None:
    lengths = {wal_bytes(path)}
    for version in range(50):
        await log.flush([append("match/a", version)])
        lengths.add(wal_bytes(path))

    assert lengths == {WAL_BYTES}


async def test_after_a_huge_flush_the_wal_is_cut_back(log: SQLiteLog, path: Path) -> None:
    await log.flush([append("match/huge", 0, [StoredEvent(b"p" * 20_000_000, b"", b"")])])
    assert wal_bytes(path) > 20_000_000

    await log.flush([append("match/a", 0)])

    assert wal_bytes(path) == WAL_BYTES


# Ownership.


async def test_a_second_log_over_the_same_file_is_refused(log: SQLiteLog, path: Path) -> None:
    second = SQLiteLog(path)

    with pytest.raises(
        LogUnavailable, match=r"log\.sqlite belongs to a service .* process \d+\. Stop that service, or"
    ):
        await second.open()

    assert await log.flush([append("match/a", 0)]) == [True]
    await log.close()
    await second.open()
    assert await second.head("match/a") == Head(Version(1), chain_at(1), False)
    await second.close()


OPENS_AND_SAYS = """
import asyncio, sys
from cutpurse_server.log.port import LogUnavailable
from cutpurse_server.log.sqlite import SQLiteLog

async def main():
    try:
        await SQLiteLog(sys.argv[1]).open()
    except LogUnavailable as refusal:
        print(refusal)
    else:
        print("opened")

asyncio.run(main())
"""


async def test_a_second_process_is_refused_with_a_sentence_that_names_file_and_owner(
    log: SQLiteLog, path: Path
) -> None:
    link = path.with_name("link.sqlite")
    link.symlink_to(path)
    refusals = [program(OPENS_AND_SAYS, each) for each in (path, link)]

    owner = content(path.with_name("log.sqlite.lock")).decode()
    assert refusals[0] == (
        f"The log {path} belongs to a service that is running, process {owner}. "
        "Stop that service, or choose another file.\n"
    )
    assert refusals[1] == refusals[0].replace(str(path), str(link))


async def test_no_other_program_gets_at_the_file_meanwhile(log: SQLiteLog, path: Path) -> None:
    await log.flush([append("match/a", 0)])

    assert program(DELETES_AND_SAYS, path) == "database is locked\n"


DELETES_AND_SAYS = """
import sqlite3, sys
try:
    sqlite3.connect(sys.argv[1], timeout=0).execute("DELETE FROM appends")
except sqlite3.Error as refusal:
    print(refusal)
"""


async def test_a_file_that_another_program_has_open_is_refused(log: SQLiteLog, path: Path) -> None:
    await log.close()
    with holding(path), pytest.raises(LogUnavailable, match=r"another program has the file open\. Close that program"):
        await log.open()

    await log.open()


@contextmanager
def holding(path: Path) -> Iterator[None]:
    """Another program has the database open and locked."""
    arguments = [sys.executable, "-c", HOLDS, str(path)]
    with subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        yield
        other.communicate("")


HOLDS = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1])
connection.execute("PRAGMA locking_mode=EXCLUSIVE")
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


async def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(LogUnavailable, match=r"missing/log\.sqlite cannot be used.*folder must exist"):
        await SQLiteLog(tmp_path / "missing" / "log.sqlite").open()


async def test_a_folder_is_no_log(tmp_path: Path) -> None:
    with pytest.raises(LogUnavailable, match="could not be opened"):
        await SQLiteLog(tmp_path).open()


# The schema.


async def test_another_programs_database_is_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE precious (x)")
    other.close()
    before = content(path)

    with pytest.raises(LogUnavailable, match="another program's database"):
        await SQLiteLog(path).open()

    assert content(path) == before


@pytest.fixture
def no_database(path: Path) -> bytes:
    path.write_bytes(b"no database" * 1_000)
    return path.read_bytes()


async def test_a_file_that_is_no_database_is_left_alone(path: Path, no_database: bytes) -> None:
    with pytest.raises(LogUnavailable, match=r"could not be opened.*not a database"):
        await SQLiteLog(path).open()

    assert content(path) == no_database


async def test_another_schema_version_is_refused(log: SQLiteLog, path: Path) -> None:
    connection_of(log).pragma("user_version", 3)
    await log.close()

    with pytest.raises(LogUnavailable, match="has schema 3, and this version of Cutpurse reads schema 2"):
        await SQLiteLog(path).open()


FORBIDDEN = [
    ("UPDATE appends SET events = x'00'", "append-only"),
    ("UPDATE appends SET number = number + 1", "append-only"),
    ("DELETE FROM appends", "append-only"),
    ("INSERT OR REPLACE INTO appends SELECT number, stream, version, chain, 0, x'00' FROM appends", "append-only"),
    ("DELETE FROM streams", "never removed"),
    ("INSERT OR REPLACE INTO streams SELECT * FROM streams", "never removed"),
    ("UPDATE streams SET last = last - 1", "never go back"),
    ("UPDATE streams SET closed = closed - 1", "never go back"),
    ("UPDATE streams SET key = key + 1", "never go back"),
    ("UPDATE streams SET name = 'match/b'", "never go back"),
]


@pytest.mark.parametrize(("statement", "words"), FORBIDDEN)
async def test_what_stands_cannot_be_changed_or_removed(log: SQLiteLog, statement: str, words: str) -> None:
    await log.flush([append("match/a", 0, [event(1), event(2)])])

    with pytest.raises(apsw.ConstraintError, match=words):
        connection_of(log).execute(statement)

    assert await log.read("match/a") == [event(1), event(2)]


async def test_a_head_that_somebody_else_has_moved_is_not_moved_on(log: SQLiteLog) -> None:
    await log.flush([append("match/a", 0, [event(1), event(2)])])
    connection_of(log).execute("UPDATE streams SET last = last + 1")

    with pytest.raises(LogUnavailable, match="a head does not stand where its owner left it"):
        await log.flush([append("match/b", 0), append("match/a", 2, [event(9)])])

    assert await log.head("match/b") is None
    assert await log.flush([append("match/b", 0)]) == [True]


# Commits on a slow disk.


@pytest.fixture
def slow(log: SQLiteLog, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every disk is too slow for a commit on the loop."""
    monkeypatch.setattr(sqlite, "COMMIT_INLINE_S", 0.0)


@pytest.mark.usefixtures("slow")
async def test_the_loop_goes_on_during_a_commit(log: SQLiteLog) -> None:
    may_commit = threading.Event()
    connection_of(log).set_commit_hook(lambda: not may_commit.wait(10))

    flushing = [asyncio.create_task(log.flush([append(f"match/{number}", 0)])) for number in range(3)]
    reading = asyncio.create_task(log.read("match/2"))
    await asyncio.sleep(0.01)
    pending = [task.done() for task in (*flushing, reading)]
    may_commit.set()

    assert pending == [False] * 4
    assert await asyncio.gather(*flushing) == [[True]] * 3
    assert await reading == [event(1)]


@pytest.mark.usefixtures("slow")
async def test_whoever_is_cancelled_during_a_commit_does_not_undo_it(log: SQLiteLog) -> None:
    may_commit = threading.Event()
    connection_of(log).set_commit_hook(lambda: not may_commit.wait(10))
    flushing = asyncio.create_task(log.flush([append("match/a", 0)]))
    await asyncio.sleep(0.01)

    flushing.cancel()
    flushing.cancel()
    await asyncio.sleep(0.01)
    may_commit.set()

    with pytest.raises(asyncio.CancelledError):
        await flushing
    assert await log.read("match/a") == [event(1)]
    assert await log.flush([append("match/a", 1)]) == [True]


async def test_commits_leave_the_loop_while_the_disk_is_slow_and_come_back(
    log: SQLiteLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Far above what a commit takes on a machine that has other work, too.
    monkeypatch.setattr(sqlite, "COMMIT_INLINE_S", 0.2)
    slow_s, inline = 0.0, list[bool]()

    def commit_hook() -> bool:
        inline.append(threading.current_thread() is threading.main_thread())
        time.sleep(slow_s if inline[-1] else 0)
        return False

    async def flush(times: int) -> list[bool]:
        inline.clear()
        for _ in range(times):
            head = await log.head("match/a")
            assert await log.flush([append("match/a", head.version if head else 0)]) == [True]
        return inline[:]

    connection_of(log).set_commit_hook(commit_hook)
    assert all(await flush(5))

    slow_s = 0.25
    # Once most of the last five were slow; then only one in nine is made on the loop, to see whether it still is.
    assert await flush(12) == [True] * 3 + [False] * 8 + [True]

    slow_s = 0.0
    returning = await flush(40)
    assert returning[:8] == [False] * 8
    assert all(returning[-5:])
