"""Bugs of stores and of whoever stands above or before them, each planted by a patch."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from typing import Any

import apsw
import pytest

from cutpurse_sdk import session
from cutpurse_server.log import postgresql, postgresql_connections, postgresql_schema, sqlite, sqlite_file
from cutpurse_server.log.packing import packed, unpacked
from cutpurse_server.log.port import Append, LogUnavailable, Version
from cutpurse_server.log.postgresql import PostgreSQLLog
from cutpurse_server.log.postgresql_connections import ROLE, SETTINGS
from cutpurse_server.log.sqlite import SQLiteLog
from cutpurse_server.matches import deciding, desk, record, waiting
from cutpurse_server.matches.clock import deadline_ms
from cutpurse_server.matches.deciding import Draft, _go_on, _play_default
from cutpurse_server.matches.events import Cause, ChoiceMade
from cutpurse_server.matches.replies import Replies
from cutpurse_server.servicers import bots
from cutpurse_server.servicers import matches as match_servicer
from tests.faults import stubborn_seats

__all__ = [
    "Patch",
    "Plant",
    "acknowledged_before_the_commit_by_postgresql",
    "acknowledged_before_the_commit_by_the_desk",
    "acknowledged_before_the_commit_by_the_store",
    "deadline_checked_outside_the_transaction",
    "event_updated",
    "event_updated_in_postgresql",
    "half_a_command_appended_in_a_flush",
    "half_a_command_appended_in_postgresql",
    "head_moved_before_its_events_are_there",
    "missing_guard_of_a_head",
    "missing_guard_of_a_head_in_postgresql",
    "missing_guard_of_a_version",
    "missing_triggers",
    "missing_triggers_in_postgresql",
    "missing_unique_key_in_postgresql",
    "new_id_per_retry_of_a_seat",
    "new_id_per_retry_of_the_sdk",
    "replies_kept_before_the_commit",
    "replies_kept_by_the_process_alone",
    "swallowed_error_of_postgresql",
    "swallowed_error_of_the_disk",
    "swallowed_error_of_the_log",
    "synchronous_commit_off",
    "synchronous_normal",
    "synchronous_off",
]

Patch = pytest.MonkeyPatch
Plant = Callable[[Patch], None]


def acknowledged_before_the_commit_by_the_desk(patch: Patch) -> None:
    """Whoever sent a command is told before it is written."""
    original = desk.MatchDesk._commit

    async def hasty(self: desk.MatchDesk, added: list[Any], now_ms: int) -> None:
        for each in added:
            self._finish(each.match, each.outcomes)
        await original(self, added, now_ms)

    patch.setattr(desk.MatchDesk, "_commit", hasty)


def acknowledged_before_the_commit_by_the_store(patch: Patch) -> None:
    """Every second transaction is left to the next one to commit, which writes more at once and is much quicker."""

    async def hasty(self: SQLiteLog, write: Callable[..., Any], *arguments: Any) -> Any:
        async with self._alone:
            connection = self._connected()
            with self._translated("written"):
                is_second = connection.in_transaction
                if not is_second:
                    connection.execute("BEGIN IMMEDIATE")
                written = write(connection, *arguments)
                if is_second:
                    connection.execute("COMMIT")
                return written

    async def close(self: SQLiteLog) -> None:
        if self._connection is not None and self._connection.in_transaction:
            self._connection.execute("COMMIT")
        await original(self)

    original = SQLiteLog.close
    patch.setattr(SQLiteLog, "_transaction", hasty)
    patch.setattr(SQLiteLog, "close", close)


def replies_kept_by_the_process_alone(patch: Patch) -> None:
    """Who asks again is recognised by whoever decided, and by nobody who has read of it."""
    original = record._choice_made

    def forgetful(kept: record.MatchRecord, event: ChoiceMade, action: Any) -> None:
        known = Replies(kept.replies)
        original(kept, event, action)
        if action is None:
            kept.replies = known

    patch.setitem(record._APPLY, ChoiceMade, forgetful)


def replies_kept_before_the_commit(patch: Patch) -> None:
    """A cache of replies beside the log, filled when a command is decided."""
    original = deciding.choose
    replies: dict[Any, Any] = {}

    def hasty(draft: Draft, seat: Any, answer: Any, received_at_ms: int, now_ms: int) -> Any:
        key = (draft.record.match, seat, answer.request_id)
        if key not in replies:
            replies[key] = original(draft, seat, answer, received_at_ms, now_ms)
        return replies[key]

    for module in (bots, match_servicer, stubborn_seats):
        patch.setattr(module, "choose", hasty)


def missing_guard_of_a_version(patch: Patch) -> None:
    """Whatever version a command was decided on, it is appended where the stream stands."""
    original = SQLiteLog.flush

    async def unguarded(self: SQLiteLog, appends: Sequence[Append]) -> Sequence[bool]:
        moved = []
        for append in appends:
            head = await self.head(append.stream)
            moved.append(append._replace(expected=head.version if head else Version(0)))
        return await original(self, moved)

    patch.setattr(SQLiteLog, "flush", unguarded)


def missing_guard_of_a_head(patch: Patch) -> None:
    """The statement that moves a head does not look where it stands."""
    patch.setattr(sqlite, "_MOVE", sqlite._MOVE.replace("AND last = ?", "AND last <> -abs(?) - 1"))


def missing_guard_of_a_head_in_postgresql(patch: Patch) -> None:
    """The same in the shared database, which has a key besides that would refuse some of it."""
    guarded = "WHERE known OR"
    assert guarded in postgresql._FLUSH
    patch.setattr(postgresql, "_FLUSH", postgresql._FLUSH.replace(guarded, "WHERE true OR"))
    _without_the_key(patch)


def missing_unique_key_in_postgresql(patch: Patch) -> None:
    """Two replicas may add to one version: nothing says that there is one append to it."""
    _without_the_key(patch)


def event_updated_in_postgresql(patch: Patch) -> None:
    """Who comes later takes the place of who came first: it is told that it was added, and nothing else is there."""
    kept = "DO NOTHING"
    assert kept in postgresql._FLUSH
    patch.setattr(postgresql, "_FLUSH", postgresql._FLUSH.replace(kept, "DO UPDATE SET events = excluded.events"))
    _change_the_tables(
        patch,
        "DROP TRIGGER IF EXISTS appends_are_never_changed ON cutpurse.appends",
        f"GRANT UPDATE ON cutpurse.appends TO {ROLE}",
    )


def half_a_command_appended_in_postgresql(patch: Patch) -> None:
    """The first event of every command in one transaction, the others in the next."""
    _halve(patch, PostgreSQLLog)


def acknowledged_before_the_commit_by_postgresql(patch: Patch) -> None:
    """A flush that has been sent is taken for one that took place."""
    original = PostgreSQLLog.flush

    async def hasty(self: PostgreSQLLog, appends: Sequence[Append]) -> Sequence[bool]:
        self.__dict__.setdefault("under_way", []).append(asyncio.ensure_future(original(self, appends)))
        return [True] * len(appends)

    async def close(self: PostgreSQLLog) -> None:
        await asyncio.gather(*self.__dict__.get("under_way", ()), return_exceptions=True)
        await closed(self)

    closed = PostgreSQLLog.close
    patch.setattr(PostgreSQLLog, "flush", hasty)
    patch.setattr(PostgreSQLLog, "close", close)


def swallowed_error_of_postgresql(patch: Patch) -> None:
    """A store that takes a transaction that failed, or whose outcome is unknown, for one that took place."""
    _swallow(patch, PostgreSQLLog)


def synchronous_commit_off(patch: Patch) -> None:
    """Commits are not waited for, and the check at the opening believes that to be right."""
    patch.setattr(postgresql_connections, "SETTINGS", {**SETTINGS, "synchronous_commit": "off"})
    patch.setitem(postgresql_schema._NEEDED, "synchronous_commit", "off")


def missing_triggers_in_postgresql(patch: Patch) -> None:
    """A database that does not mind being changed."""
    _change_the_tables(patch, "DROP TRIGGER IF EXISTS appends_are_never_changed ON cutpurse.appends")


def _without_the_key(patch: Patch) -> None:
    conflict = "ON CONFLICT (stream, expected) DO NOTHING"
    assert conflict in postgresql._FLUSH
    patch.setattr(postgresql, "_FLUSH", postgresql._FLUSH.replace(conflict, ""))
    _change_the_tables(
        patch,
        "ALTER TABLE cutpurse.appends DROP CONSTRAINT IF EXISTS appends_pkey",
        "ALTER TABLE cutpurse.streams DROP CONSTRAINT IF EXISTS streams_pkey",
    )


def _change_the_tables(patch: Patch, *statements: str) -> None:
    original = postgresql_schema.prepare

    async def prepare(connection: Any, shown: str) -> None:
        await original(connection, shown)
        for statement in statements:
            await connection.execute(statement)

    patch.setattr(postgresql, "prepare", prepare)


def synchronous_normal(patch: Patch) -> None:
    """Commits are not synced, and the check at the opening believes that to be right."""
    patch.setitem(sqlite_file.PRAGMAS, "synchronous", ("NORMAL", 1))


def synchronous_off(patch: Patch) -> None:
    """Nothing is synced."""
    patch.setitem(sqlite_file.PRAGMAS, "synchronous", ("OFF", 0))


def new_id_per_retry_of_the_sdk(patch: Patch) -> None:
    """A bot that draws a request id whenever it sends an answer."""
    original = session.Session.next_frame

    def forgetful(self: session.Session) -> Any:
        for intent in self._outbox:
            intent.choice.request_id = os.urandom(12)
        return original(self)

    patch.setattr(session.Session, "next_frame", forgetful)


def new_id_per_retry_of_a_seat(patch: Patch) -> None:
    """The same of a client that talks to the desk itself."""

    def forgetful(seat: Any, answer: Any, received_at_ms: int, draft: Draft, now_ms: int) -> Any:
        drawn = answer._replace(request_id=os.urandom(12))
        return deciding.choose(draft, seat, drawn, received_at_ms, now_ms)

    patch.setattr(stubborn_seats, "_answer", forgetful)


def swallowed_error_of_the_disk(patch: Patch) -> None:
    """A store that takes a failed transaction for one that took place."""
    _swallow(patch, SQLiteLog)


def _swallow(patch: Patch, log: type[Any]) -> None:
    original = log.flush

    async def careless(self: Any, appends: Sequence[Append]) -> Sequence[bool]:
        try:
            took_place: Sequence[bool] = await original(self, appends)
        except LogUnavailable:
            return [True] * len(appends)
        return took_place

    patch.setattr(log, "flush", careless)


def swallowed_error_of_the_log(patch: Patch) -> None:
    """A desk that takes a flush whose outcome is unknown for one that took place."""
    original = desk.MatchDesk._commit

    async def careless(self: desk.MatchDesk, added: list[Any], now_ms: int) -> None:
        log = self.log

        class Careless:
            def __getattr__(self, name: str) -> Any:
                return getattr(log, name)

            async def flush(self, appends: Sequence[Append]) -> Sequence[bool]:
                try:
                    return await log.flush(appends)
                except LogUnavailable:
                    return [True] * len(appends)

        self.log = Careless()
        try:
            await original(self, added, now_ms)
        finally:
            self.log = log

    patch.setattr(desk.MatchDesk, "_commit", careless)


def deadline_checked_outside_the_transaction(patch: Patch) -> None:
    """Whose time is over is found out when the timer fires, and not looked at again when it is written."""

    def notice(self: desk.MatchDesk, match: str) -> None:
        held = self._records[match]
        now_ms = self.log.now_ms()
        over = [seat for seat in held.waiting() if now_ms > deadline_ms(held, seat) + held.begun.clock.settle_ms]

        def play_defaults(draft: Draft, now_ms: int) -> None:
            for seat in over:
                _play_default(draft, seat, Cause.TIMEOUT, now_ms, 0)
            _go_on(draft, now_ms)

        self._waiting.put(match, waiting.Waiting(play_defaults, waiting.nobody))

    patch.setattr(desk.MatchDesk, "_notice", notice)


def missing_triggers(patch: Patch) -> None:
    """A database that does not mind being changed."""
    patch.setattr(sqlite_file, "_SCHEMA", _without_triggers())


def event_updated(patch: Patch) -> None:
    """A store that touches up the append before, say with the time at which it was answered."""
    original = SQLiteLog._write

    def diligent(self: SQLiteLog, connection: apsw.Connection, appends: Sequence[Append]) -> Any:
        after = original(self, connection, appends)
        number = self._last_number
        row = connection.execute("SELECT events FROM appends WHERE number = ?", (number,)).get if number else None
        if row is not None:
            first, *others = unpacked(row)
            touched = first._replace(public=bytes([first.public[0] ^ 1]) + first.public[1:])
            connection.execute("UPDATE appends SET events = ? WHERE number = ?", (packed([touched, *others]), number))
        return after

    patch.setattr(sqlite_file, "_SCHEMA", _without_triggers())
    patch.setattr(SQLiteLog, "_write", diligent)


def half_a_command_appended_in_a_flush(patch: Patch) -> None:
    """The first event of every command in one transaction, the others in the next."""
    _halve(patch, SQLiteLog)


def _halve(patch: Patch, log: type[Any]) -> None:
    original = log.flush

    async def halved(self: Any, appends: Sequence[Append]) -> Sequence[bool]:
        took_place: Sequence[bool] = await original(self, [_replaced(each, 0, 1) for each in appends])
        rest = [each for each, took in zip(appends, took_place, strict=True) if took and len(each.events) > 1]
        await original(self, [_replaced(each, 1, len(each.events)) for each in rest])
        return took_place

    patch.setattr(log, "flush", halved)


def head_moved_before_its_events_are_there(patch: Patch) -> None:
    """Heads in one transaction, events in the next."""
    original = SQLiteLog._write

    def halved(self: SQLiteLog, connection: apsw.Connection, appends: Sequence[Append]) -> Any:
        class Halving:
            def __getattr__(self, name: str) -> Any:
                return getattr(connection, name)

            def executemany(self, statement: str, rows: Any) -> Any:
                if statement == sqlite._INSERT:
                    connection.execute("COMMIT; BEGIN IMMEDIATE")
                return connection.executemany(statement, rows)

        return original(self, Halving(), appends)  # type: ignore[arg-type]

    patch.setattr(SQLiteLog, "_write", halved)


def _replaced(append: Append, first: int, end: int) -> Append:
    """Some of an append's events as an append of their own."""
    closed = append.closed and end == len(append.events)
    return append._replace(expected=Version(append.expected + first), events=append.events[first:end], closed=closed)


def _without_triggers() -> str:
    statements = sqlite_file._SCHEMA.split("CREATE TRIGGER")
    pragmas = statements[-1][statements[-1].index("PRAGMA") :]
    return statements[0] + pragmas
