"""A disk that fails when told to, and forgets at a loss of power whatever was not synced: an SQLite VFS."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw

_NAME = "failing disk"

KINDS = ("open", "read", "write", "truncate", "sync", "delete")
"""What a disk is asked to do and may fail to."""


class Disk:
    """What the files of the VFS share: their orders and what is known to be on the platters."""

    def __init__(self) -> None:
        self.durable: dict[str, bytes] = {}
        """By path: the content at the last sync."""
        self._countdown = -1
        self._failure: type[apsw.Error] = apsw.IOError
        self._kinds: Collection[str] = ()
        self.failed = False
        self.unreadable = False
        """Reads fail too."""

    def fail_after(
        self, operations: int, failure: type[apsw.Error], kinds: Collection[str] = ("write", "sync")
    ) -> None:
        """From the operation after so many more of these kinds on, all of them fail."""
        self._countdown, self._failure, self._kinds, self.failed = operations, failure, kinds, False

    def work_again(self) -> None:
        """Stop failing."""
        self._countdown = -1

    def operate(self, kind: str) -> None:
        """One operation is about to happen."""
        if kind not in self._kinds:
            return
        if self._countdown == 0:
            self.failed = True
            raise self._failure("the disk fails as planned")
        self._countdown -= self._countdown > 0

    def lose_power(self, folder: Path) -> None:
        """Write what is left into a new folder."""
        folder.mkdir()
        for path, content in self.durable.items():
            (folder / Path(path).name).write_bytes(content)


class _File(apsw.VFSFile):
    def __init__(self, disk: Disk, inherited: str, filename: Any, flags: list[int]) -> None:
        super().__init__(inherited, filename, flags)
        self._disk = disk
        self._path = filename.filename() if isinstance(filename, apsw.URIFilename) else str(filename)

    def xRead(self, amount: int, offset: int) -> bytes:
        """Read, or fail."""
        self._disk.operate("read")
        if self._disk.unreadable:
            raise apsw.IOError("the disk cannot be read, as planned")
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:
        """Write, or fail."""
        self._disk.operate("write")
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:
        """Cut, or fail."""
        self._disk.operate("truncate")
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:
        """Sync, or fail; what the file holds now is durable."""
        self._disk.operate("sync")
        super().xSync(flags)
        self._disk.durable[self._path] = Path(self._path).read_bytes()


class _System(apsw.VFS):
    def __init__(self, disk: Disk, inherited: str) -> None:
        self._disk, self._inherited = disk, inherited
        super().__init__(_NAME, inherited)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        """Open a file of this disk, or fail."""
        self._disk.operate("open")
        return _File(self._disk, self._inherited, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        """Delete a file, or fail; its durable content goes with it."""
        self._disk.operate("delete")
        super().xDelete(filename, syncdir)
        self._disk.durable.pop(filename, None)


@contextmanager
def failing_disk() -> Iterator[Disk]:
    """Every database that is opened meanwhile lies on this disk."""
    usual = apsw.vfs_names()[0]
    disk = Disk()
    system = _System(disk, usual)
    apsw.set_default_vfs(_NAME)
    try:
        yield disk
    finally:
        apsw.set_default_vfs(usual)
        system.unregister()
