"""Every limit of the service: what is done to meet it, and how it is taken away.

Each limit may be made small or short, so that it is met soon; taken away, it is as if it had never been thought of.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import pytest

from cutpurse_server import serve
from cutpurse_server.matches import crowd, waiting
from cutpurse_server.servicers import bots, connection, gate, hub, rates
from tests.server.service import met_limits, raw_connections

__all__ = ["LIMITS", "Limit"]

Change = Callable[[pytest.MonkeyPatch], None]

ENDLESS = 2**31 - 1
"""Milliseconds, bytes or a number, as good as no limit."""


@dataclass(frozen=True)
class Limit:
    """One limit."""

    name: str
    check: Callable[[], Awaitable[None]]
    small: Change
    """Makes it small enough to be met soon."""
    removed: Change
    """Takes it away."""


def constant(module: Any, **values: Any) -> Change:
    """Other values for a module's constants, which must be there."""

    def change(monkeypatch: pytest.MonkeyPatch) -> None:
        for name, value in values.items():
            monkeypatch.setattr(module, name, value)

    return change


def option(**values: int) -> Change:
    """Other values for some of the server's options, which must be there; `__` stands for a dot."""

    def change(monkeypatch: pytest.MonkeyPatch) -> None:
        options: dict[str, Any] = dict(serve._OPTIONS)
        new = {f"grpc.{name.replace('__', '.')}": value for name, value in values.items()}
        assert new.keys() <= options.keys(), "an option that the service does not set"
        monkeypatch.setattr(serve, "_OPTIONS", tuple((options | new).items()))

    return change


def as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """No change."""


def both(*changes: Change) -> Change:
    """Several changes."""

    def change(monkeypatch: pytest.MonkeyPatch) -> None:
        for each in changes:
            each(monkeypatch)

    return change


LIMITS = [
    Limit("bytes of a request", met_limits.large_request, as_it_is, constant(gate, MESSAGE_BYTES_MAX=ENDLESS)),
    Limit(
        "bytes of what is read at all",
        met_limits.huge_request,
        as_it_is,
        both(constant(gate, MESSAGE_BYTES_MAX=ENDLESS), option(max_receive_message_length=-1)),
    ),
    Limit(
        "bytes of metadata",
        met_limits.large_metadata,
        as_it_is,
        option(max_metadata_size=ENDLESS, absolute_max_metadata_size=ENDLESS),
    ),
    Limit("bytes of a frame", met_limits.large_frame, as_it_is, constant(bots, FRAME_BYTES_MAX=ENDLESS)),
    Limit("choices in a frame", met_limits.many_choices, as_it_is, constant(bots, _CHOICES_PER_FRAME_MAX=ENDLESS)),
    Limit("readies in a frame", met_limits.many_readies, as_it_is, constant(bots, _READIES_PER_FRAME_MAX=ENDLESS)),
    Limit("streams of a bot", met_limits.many_streams, as_it_is, constant(hub, STREAMS_PER_BOT_MAX=ENDLESS)),
    Limit("silent streams", met_limits.many_silent_streams, as_it_is, constant(bots, STREAMS_PER_BOT_MAX=ENDLESS)),
    Limit("silence", met_limits.silence, constant(bots, _HELLO_S=0.3), constant(bots, _HELLO_S=ENDLESS)),
    Limit(
        "streams of answers",
        met_limits.many_answer_streams,
        constant(gate, _ANSWER_STREAMS_PER_CALLER_MAX=4),
        constant(gate, _ANSWER_STREAMS_PER_CALLER_MAX=ENDLESS),
    ),
    Limit(
        "calls of an owner", met_limits.many_calls_of_an_owner, constant(rates, BURST=5), constant(rates, BURST=ENDLESS)
    ),
    Limit("answers to nobody", met_limits.stray_answers, constant(bots, _STRAY_MS=5), constant(bots, _STRAY_MS=0)),
    Limit("dialling in", met_limits.many_dials, constant(rates, BURST=5), constant(rates, BURST=ENDLESS)),
    Limit(
        "a slow reader",
        met_limits.reading_nothing,
        both(constant(hub, _WRITE_S_MAX=0.2, _WATCH_S=0.05), constant(bots, _STRAY_MS=0)),
        both(constant(hub, _WRITE_S_MAX=ENDLESS, _WATCH_S=0.05), constant(bots, _STRAY_MS=0)),
    ),
    Limit(
        "replies that wait",
        met_limits.unread_replies,
        both(constant(connection, _BACKLOG_MAX=64), constant(bots, _STRAY_MS=0)),
        # Really without any, this process would have to keep all that the flood brings.
        both(constant(connection, _BACKLOG_MAX=4_096), constant(bots, _STRAY_MS=0)),
    ),
    Limit(
        "answers of a bot that wait",
        met_limits.many_answers_of_a_bot,
        constant(crowd, WAITING_MAX=4),
        constant(crowd, WAITING_MAX=ENDLESS),
    ),
    Limit(
        "commands of a match that wait",
        met_limits.many_commands_of_a_match,
        constant(waiting, _WAITING_MAX=2),
        constant(waiting, _WAITING_MAX=ENDLESS),
    ),
    Limit(
        "streams of a connection",
        met_limits.many_streams_of_a_connection,
        option(max_concurrent_streams=4),
        option(max_concurrent_streams=ENDLESS),
    ),
    Limit("open calls", met_limits.many_open_calls, constant(serve, _CALLS_MAX=4), constant(serve, _CALLS_MAX=None)),
    Limit(
        "a peer that is gone",
        met_limits.a_peer_that_is_gone,
        option(keepalive_time_ms=600, keepalive_timeout_ms=900, http2__ping_timeout_ms=900),
        option(keepalive_time_ms=ENDLESS, keepalive_timeout_ms=ENDLESS, http2__ping_timeout_ms=ENDLESS),
    ),
    Limit(
        "the age of a connection",
        met_limits.an_old_connection,
        option(max_connection_age_ms=300, max_connection_age_grace_ms=200),
        option(max_connection_age_ms=ENDLESS, max_connection_age_grace_ms=ENDLESS),
    ),
    Limit(
        "connections",
        raw_connections.many_connections,
        option(max_allowed_incoming_connections=3),
        option(max_allowed_incoming_connections=1_000_000),
    ),
    Limit(
        "idleness of a connection",
        raw_connections.idleness,
        option(max_connection_idle_ms=300),
        option(max_connection_idle_ms=ENDLESS),
    ),
    Limit(
        "time for settings",
        raw_connections.slow_settings,
        option(server_handshake_timeout_ms=300),
        option(server_handshake_timeout_ms=ENDLESS),
    ),
    Limit(
        "time for encryption",
        raw_connections.slow_encryption,
        option(server_handshake_timeout_ms=300),
        option(server_handshake_timeout_ms=ENDLESS),
    ),
    Limit("pings", raw_connections.many_pings, as_it_is, option(http2__max_ping_strikes=0)),
]
