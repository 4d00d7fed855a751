"""What a disk may hold after power was lost at some moment: any of the writes that were not synced, whole or torn."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from tests.faults.journaling_disk import Cut, FolderSynced, Linked, Operation, Synced, Unlinked, Written

__all__ = ["SECTOR_BYTES", "Image", "Wear", "image_after"]

SECTOR_BYTES = 512


class Wear(NamedTuple):
    """How much of what was not synced is there after the loss of power."""

    kept: float
    """Share of the writes, cuts, and files made or removed."""
    torn: float
    """Share of the kept writes of which only some sectors are there."""
    garbage: float
    """Share of the lost sectors of torn writes that hold anything at all, instead of what was there before."""


class Image(NamedTuple):
    """A disk after the loss of power."""

    files: dict[str, bytes]
    unsynced: int
    """How many operations might have been lost."""
    lost: int
    torn: int

    def write(self, folder: Path) -> None:
        """Write its files into a new folder."""
        folder.mkdir()
        for name, content in self.files.items():
            (folder / name).write_bytes(content)


def image_after(operations: Sequence[Operation], wear: Wear, chance: random.Random) -> Image:
    """An image of the disk on which power is lost right after these operations."""
    durable = _durable(operations)
    folder: dict[str, int] = {}
    contents: dict[int, bytearray] = {}
    unsynced = lost = torn = 0
    for operation, is_durable in zip(operations, durable, strict=True):
        if isinstance(operation, Synced | FolderSynced):
            continue
        if not is_durable:
            unsynced += 1
            if chance.random() >= wear.kept:
                lost += 1
                continue
        match operation:
            case Linked(name, file):
                folder[name] = file
                contents.setdefault(file, bytearray())
            case Unlinked(name):
                folder.pop(name, None)
            case Cut(file, length):
                _cut(contents.setdefault(file, bytearray()), length)
            case Written(file, offset, data):
                content = contents.setdefault(file, bytearray())
                if not is_durable and chance.random() < wear.torn:
                    torn += 1
                    _tear(content, offset, data, wear.garbage, chance)
                else:
                    _write(content, offset, data)
    return Image({name: bytes(contents[file]) for name, file in folder.items()}, unsynced, lost, torn)


def _durable(operations: Sequence[Operation]) -> list[bool]:
    """For each operation whether a later sync has made it safe."""
    synced: set[int] = set()
    folder_synced = False
    durable = []
    for operation in reversed(operations):
        match operation:
            case Synced(file):
                synced.add(file)
                durable.append(True)
            case FolderSynced():
                folder_synced = True
                durable.append(True)
            case Linked() | Unlinked():
                durable.append(folder_synced)
            case Written(file) | Cut(file):
                durable.append(file in synced)
    return durable[::-1]


def _write(content: bytearray, offset: int, data: bytes) -> None:
    if len(content) < offset:
        content.extend(bytes(offset - len(content)))
    content[offset : offset + len(data)] = data


def _cut(content: bytearray, length: int) -> None:
    del content[length:]
    content.extend(bytes(length - len(content)))


def _tear(content: bytearray, offset: int, data: bytes, garbage: float, chance: random.Random) -> None:
    """Write some of the sectors that a write touches. Sectors are those of the disk, wherever the write begins."""
    end = offset + len(data)
    at = offset
    while at < end:
        sector_end = min(end, (at // SECTOR_BYTES + 1) * SECTOR_BYTES)
        part = data[at - offset : sector_end - offset]
        if chance.random() < 0.5:
            _write(content, at, part)
        elif chance.random() < garbage:
            _write(content, at, chance.randbytes(len(part)))
        at = sector_end
