"""Which addresses can be reached from outside."""

from __future__ import annotations

import ipaddress

__all__ = ["is_local"]


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
