"""Which addresses can be reached from outside."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit

__all__ = ["is_local", "without_secrets"]


def is_local(address: str) -> bool:
    """Whether an address can be reached from this machine only."""
    if address.startswith("unix:"):
        return True
    host = address.rpartition(":")[0].strip("[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def without_secrets(log: str) -> str:
    """A log's address as it may be shown to anybody: of a database's, no password, and nothing behind its name."""
    kind, _, rest = log.partition(":")
    if kind not in ("postgresql", "postgres"):
        return log
    try:
        parts = urlsplit(log)
        user = f"{parts.username}@" if parts.username else ""
        port = f":{parts.port}" if parts.port else ""
        return f"postgresql://{user}{parts.hostname or ''}{port}{parts.path}"
    except ValueError:
        # Several hosts, or a mistake: whatever stands before the last @ may hold a password.
        return f"postgresql://{rest.removeprefix('//').partition('?')[0].rpartition('@')[2]}"
