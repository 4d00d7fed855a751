"""Tournaments of a running service: create, enter, start, watch, standings."""

from __future__ import annotations

__all__ = ["COMMANDS"]

COMMANDS: tuple[()] = ()
