"""Pieces of serialised messages, for the few messages that are made for every decision.

Making a protobuf object and serialising it costs several times what joining its bytes does. Whatever is written with
these pieces is byte for byte what protobuf would write: fields in the order of their numbers, zeros and empty values
left out. Tests compare.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeVar

__all__ = ["Numbers", "Texts", "content", "moment", "number", "varint"]

K = TypeVar("K", int, str)

_SEVEN_BITS = 0x7F
_MORE = 0x80
_FIELDS_MAX = 16_384


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > _SEVEN_BITS:
        encoded.append(value & _SEVEN_BITS | _MORE)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


_SHORT = tuple(_varint(value) for value in range(1 << 14))
"""As `varint`, of all numbers that take one or two bytes: lengths, counts, seats, most times."""


def varint(value: int) -> bytes:
    """A `uint32`, an enum or a length as protobuf writes it; as there, a ValueError beyond the range."""
    if 0 <= value < 1 << 14:
        return _SHORT[value]
    if not 0 <= value < 1 << 32:
        raise ValueError(f"{value} is out of range")
    return _varint(value)


@lru_cache(maxsize=256)
def moment(value_ms: int) -> bytes:
    """A point in time, an `int64` that is not negative: the same millisecond is written many times."""
    if not 0 <= value_ms < 1 << 63:
        raise ValueError(f"{value_ms} is out of range")
    return _varint(value_ms)


def number(tag: bytes, value: int) -> bytes:
    """A field that holds a number; nothing for zero. `tag` is its number and type as they stand before the value."""
    return tag + varint(value) if value else b""


def content(tag: bytes, value: bytes) -> bytes:
    """A field that holds bytes, a text, a message or a packed list; nothing if it is empty.

    A packed list of numbers below 128 is its numbers, a byte each: a multiset is on the wire what it is in the rules.
    """
    return tag + varint(len(value)) + value if value else b""


class _Fields(dict[K, bytes]):
    """One field with each of the values that it was given lately: a lookup costs a fifth of making it anew."""

    def __init__(self, tag: bytes) -> None:
        super().__init__()
        self._tag = tag

    def __missing__(self, value: K) -> bytes:
        if len(self) >= _FIELDS_MAX:
            self.clear()
        field = self[value] = self._made(value)
        return field

    def _made(self, value: K) -> bytes:
        raise NotImplementedError


class Numbers(_Fields[int]):
    """As `number`, for values that recur."""

    def _made(self, value: int) -> bytes:
        return number(self._tag, value)


class Texts(_Fields[str]):
    """As `content`, for texts that recur: names of matches, notations."""

    def _made(self, value: str) -> bytes:
        return content(self._tag, value.encode())
