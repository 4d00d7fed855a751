"""Every figure that there is, in one place, and where it can be fetched.

No figure names a match, a seat, a bot or an owner. Even so they move while decisions are open: whoever reads them often
enough on a quiet service learns that somebody has chosen. So they are for operators alone, on a port of their own that
can be reached from this machine only, or by whoever shows a certificate.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

from cutpurse_server.addresses import is_local

__all__ = ["Figures"]

_CALL_SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5)
_FLUSH_SECONDS = (0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 5)
_FLUSH_STREAMS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


class Figures:
    """The figures of one replica."""

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        self.calls = Counter(
            "cutpurse_calls_total",
            "Calls that ended, by method and status code.",
            ("method", "code"),
            registry=registry,
        )
        self.refusals = Counter(
            "cutpurse_refusals_total",
            "Calls that were refused, by the catalogue's reason.",
            ("reason",),
            registry=registry,
        )
        self.call_seconds = Histogram(
            "cutpurse_call_seconds",
            "How long calls with one answer took.",
            ("method",),
            buckets=_CALL_SECONDS,
            registry=registry,
        )
        self.streams = Gauge("cutpurse_open_streams", "Streams open now, by method.", ("method",), registry=registry)
        self.flush_seconds = Histogram(
            "cutpurse_flush_seconds",
            "How long one durable transaction of the log took.",
            buckets=_FLUSH_SECONDS,
            registry=registry,
        )
        self.flush_streams = Histogram(
            "cutpurse_flush_streams", "Streams that one flush added to.", buckets=_FLUSH_STREAMS, registry=registry
        )
        self.log_failures = Counter(
            "cutpurse_log_failures_total", "Reads and writes of the log that failed.", ("operation",), registry=registry
        )
        self.log_available = Gauge(
            "cutpurse_log_available", "1 if the log's last operation succeeded, else 0.", registry=registry
        )
        self.log_available.set(1)

    @contextmanager
    def served(self, address: str, tls: tuple[Path, Path, Path] | None = None) -> Iterator[str]:
        """Answer `GET /metrics` at `HOST:PORT` until the block is left; gives the address, its port filled in.

        `tls` is a certificate, its key and the authority of the clients' certificates, as PEM files. Raises ValueError
        for what is no address, or for one off the loopback without `tls`; OSError for one that cannot be had.
        """
        host, _, port = address.rpartition(":")
        if not host or not port.isdecimal():
            raise ValueError(f"{address!r} is no address for metrics; write HOST:PORT, for example 127.0.0.1:9464.")
        if tls is None and not is_local(address):
            raise ValueError(
                f"{address} can be reached from outside, and figures are for operators alone: give a certificate, and"
                " the authority of those who may read them (--tls-cert, --tls-key, --tls-client-ca)."
            )
        certificate, key, authority = map(str, tls) if tls else (None, None, None)
        server, thread = start_http_server(
            int(port),
            host.strip("[]"),
            self.registry,
            certfile=certificate,
            keyfile=key,
            client_cafile=authority,
            client_auth_required=tls is not None,
        )
        try:
            yield f"{host}:{server.server_port}"
        finally:
            server.shutdown()
            server.server_close()
            thread.join()
