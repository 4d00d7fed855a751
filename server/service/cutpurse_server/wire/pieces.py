"""Pieces of serialised messages, for the few messages that are made for every decision.

Making a protobuf object and serialising it costs several times what joining its bytes does. Whatever is written with
these pieces is byte for byte what protobuf would write: fields in the order of their numbers, zeros and empty values
left out. Tests compare.
"""

from __future__ import annotations

from functools import lru_cache

__all__ = ["Texts", "moment", "number", "text", "varint"]

_SEVEN_BITS = 0x7F
_MORE = 0x80
_TEXTS_MAX = 16_384


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > _SEVEN_BITS:
        encoded.append(value & _SEVEN_BITS | _MORE)
        value >>= 7
    encoded.append(value)
    return bytes(encoded)


_READY = tuple(_varint(value) for value in range(1 << 14))
"""All that take one or two bytes: lengths, counts, seats, most times."""


def varint(value: int) -> bytes:
    """A `uint32`, an enum or a length as protobuf writes it; as there, a ValueError beyond the range."""
    if 0 <= value < 1 << 14:
        return _READY[value]
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


@lru_cache(maxsize=8_192)
def text(tag: bytes, value: str) -> bytes:
    """A field that holds a text that recurs, such as a match's name; never an empty one."""
    encoded = value.encode()
    return tag + varint(len(encoded)) + encoded


class Texts(dict[str, bytes]):
    """Of one repeated field of texts: each by its value. Looked up a dozen times for a decision, so a plain mapping."""

    def __init__(self, tag: bytes) -> None:
        super().__init__()
        self._tag = tag

    def __missing__(self, value: str) -> bytes:
        if len(self) >= _TEXTS_MAX:
            self.clear()
        field = self[value] = text(self._tag, value)
        return field
