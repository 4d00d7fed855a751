"""The auditors' file, as audit.proto describes it: written log by log, read log by log, no byte of it free.

A bundle may be much larger than memory, so its body is never built or parsed as one message: the writer appends one
field after the other, the reader walks over the fields and parses one log at a time. What it parses must serialise to
exactly the bytes that it was parsed from, fields in their order, so that every bundle has one form only.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from operator import attrgetter
from typing import BinaryIO

from google.protobuf.message import DecodeError

from cutpurse.v1 import audit_pb2
from cutpurse_server.log.port import StoredEvent

__all__ = ["BadBundle", "BundleReader", "BundleWriter", "ExportedLog"]

_FIRST_LINE = b"cutpurse bundle 1\n"
_DIGEST_CHARACTERS = 64
_HEADER_BYTES = len(_FIRST_LINE) + _DIGEST_CHARACTERS + 1
_ENGINE_VERSION, _TOURNAMENT, _MATCH = 1, 2, 3
_LENGTH_DELIMITED = 2
_HASHED_AT_ONCE = 1 << 20
_VARINT_BYTES_MAX = 10


class BadBundle(Exception):
    """Bytes that are no bundle, or not in the one form that a bundle may have; the text says what and where."""


@dataclass(frozen=True, slots=True)
class ExportedLog:
    """A match's or tournament's log with its openings."""

    id: str
    events: Sequence[StoredEvent]


class BundleWriter:
    """Writes a bundle to a seekable file that is open for writing and reading, from its beginning."""

    def __init__(self, file: BinaryIO, engine_version: str) -> None:
        self._file = file
        self._digest = sha256()
        self._last_field = _ENGINE_VERSION
        file.write(_FIRST_LINE + b"0" * _DIGEST_CHARACTERS + b"\n")
        self._add(_ENGINE_VERSION, engine_version.encode())

    def tournament(self, log: ExportedLog) -> None:
        """Add the tournament's log; before any match's, and once."""
        assert self._last_field < _TOURNAMENT
        self._add(_TOURNAMENT, _log_to_bytes(log))

    def match(self, log: ExportedLog) -> None:
        """Add a match's log; in schedule order."""
        self._add(_MATCH, _log_to_bytes(log))

    def finish(self) -> None:
        """Write the digest in its place; nothing may be added any more."""
        self._file.seek(len(_FIRST_LINE))
        self._file.write(self._digest.hexdigest().encode())
        self._file.seek(0, 2)

    def _add(self, field: int, value: bytes) -> None:
        if not value:
            return
        self._last_field = field
        piece = _varint(field << 3 | _LENGTH_DELIMITED) + _varint(len(value)) + value
        self._digest.update(piece)
        self._file.write(piece)


class BundleReader:
    """Reads a bundle from bytes or a mapped file. Everything raises `BadBundle`."""

    def __init__(self, data: bytes | mmap.mmap) -> None:
        """Check the form of the file's two lines, and the digest."""
        if data[: len(_FIRST_LINE)] != _FIRST_LINE:
            raise BadBundle(f"the file does not begin with the line {_FIRST_LINE.decode().strip()!r}")
        if len(data) < _HEADER_BYTES or data[_HEADER_BYTES - 1 : _HEADER_BYTES] != b"\n":
            raise BadBundle("the second line is not a digest of 64 characters")
        self._data = data
        digest = sha256()
        for start in range(_HEADER_BYTES, len(data), _HASHED_AT_ONCE):
            digest.update(data[start : start + _HASHED_AT_ONCE])
        self.digest_matches = data[len(_FIRST_LINE) : _HEADER_BYTES - 1] == digest.hexdigest().encode()
        """Whether the digest in the second line is that of what follows."""

    @property
    def size(self) -> int:
        """Bytes in the file."""
        return len(self._data)

    def parts(self) -> Iterator[tuple[int, str | ExportedLog, bool]]:
        """Everything in order, as (end of the part in the file, engine version or log, whether it is a match's)."""
        at, last_field = _HEADER_BYTES, 0
        while at < len(self._data):
            field, value, at = self._field(at)
            if field < last_field or (field == last_field != _MATCH) or field not in (1, 2, 3):
                raise BadBundle(f"field {field} before byte {at} is unknown, repeated or out of order")
            last_field = field
            yield at, _version(value) if field == _ENGINE_VERSION else _log_from_bytes(value, at), field == _MATCH

    def _field(self, start: int) -> tuple[int, bytes, int]:
        """A field's number, its bytes, and where it ends."""
        tag, at = self._read_varint(start)
        length, at = self._read_varint(at)
        end = at + length
        if tag & 7 != _LENGTH_DELIMITED or not length or end > len(self._data):
            raise BadBundle(f"there is no field at byte {start}")
        if self._data[start:at] != _varint(tag) + _varint(length):
            raise BadBundle(f"the field at byte {start} is not in canonical form")
        return tag >> 3, bytes(self._data[at:end]), end

    def _read_varint(self, at: int) -> tuple[int, int]:
        value = 0
        for place in range(_VARINT_BYTES_MAX):
            if at + place >= len(self._data):
                break
            byte = self._data[at + place]
            value |= (byte & 0x7F) << (7 * place)
            if byte < 0x80:
                return value, at + place + 1
        raise BadBundle(f"there is no number at byte {at}")


def _varint(value: int) -> bytes:
    """The shortest form of a number."""
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def _version(value: bytes) -> str:
    try:
        return value.decode()
    except UnicodeDecodeError:
        raise BadBundle("the engine's version is not a text") from None


def _log_to_bytes(log: ExportedLog) -> bytes:
    events = [
        audit_pb2.ExportedEvent(public_bytes=event.public, secret_bytes=event.secret, salt=event.salt)
        for event in log.events
    ]
    return audit_pb2.ExportedLog(id=log.id, events=events).SerializeToString()


def _log_from_bytes(value: bytes, end: int) -> ExportedLog:
    try:
        parsed = audit_pb2.ExportedLog.FromString(value)
    except DecodeError:
        raise BadBundle(f"what ends at byte {end} is no log") from None
    # Fields that this version does not know would survive, and be free bytes.
    parsed.DiscardUnknownFields()  # type: ignore[attr-defined]  # the stubs lack it
    if parsed.SerializeToString() != value:
        raise BadBundle(f"the log that ends at byte {end} is not in canonical form")
    return ExportedLog(parsed.id, list(map(_new_event, map(_EVENT_PARTS, parsed.events))))


_EVENT_PARTS = attrgetter("public_bytes", "secret_bytes", "salt")
_new_event: Callable[[tuple[bytes, bytes, bytes]], StoredEvent] = partial(tuple.__new__, StoredEvent)
