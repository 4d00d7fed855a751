"""A disk that writes down every write, cut and sync of its files, so that any loss of power can be played afterwards.

It is an SQLite VFS, and a stand-in for `os` for the few calls that our own code makes on the log's files beside SQLite.
The files themselves lie where they are named: whoever uses the disk notices nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import apsw
import pytest

from cutpurse_server.log import sqlite_file

__all__ = ["Cut", "FolderSynced", "Journal", "Linked", "Operation", "Synced", "Unlinked", "Written", "journaling_disk"]

_NAME = "journaling disk"
_OTHERS = ".lock"
"""How the one file ends that lies beside the log and holds nothing of it."""

# With any of these SQLite syncs the folder too, once, after the first sync of a file that it may have made.
_FOLDER_TOO = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL


class Written(NamedTuple):
    """Bytes written to a file."""

    file: int
    offset: int
    data: bytes


class Cut(NamedTuple):
    """A file cut, or lengthened by zeros."""

    file: int
    length: int


class Synced(NamedTuple):
    """Everything written to a file before is on the platters."""

    file: int


class Linked(NamedTuple):
    """A file made."""

    name: str
    file: int


class Unlinked(NamedTuple):
    """A file removed."""

    name: str


class FolderSynced(NamedTuple):
    """All files made and removed before are made and removed on the platters."""


Operation = Written | Cut | Synced | Linked | Unlinked | FolderSynced


class Journal:
    """What happened to the files of one folder, in order. A file's number outlives its name."""

    def __init__(self, folder: Path) -> None:
        self.operations: list[Operation] = []
        self._numbers: dict[str, int] = {}
        self._files = 0
        for path in sorted(folder.iterdir()):
            self.opened(str(path))
            self.written(str(path), 0, path.read_bytes())
            self.synced(str(path))
        self.folder_synced()
        self.begun_at = len(self)
        """So many operations stand for what the folder held before."""

    def __len__(self) -> int:
        return len(self.operations)

    def opened(self, path: str) -> None:
        """A file is opened; one that is not known is made."""
        name = Path(path).name
        if name not in self._numbers:
            self._files += 1
            self._numbers[name] = self._files
            self.operations.append(Linked(name, self._files))

    def written(self, path: str, offset: int, data: bytes) -> None:
        """Bytes were written."""
        self.operations.append(Written(self._number(path), offset, bytes(data)))

    def cut(self, path: str, length: int) -> None:
        """A file was cut or lengthened."""
        self.operations.append(Cut(self._number(path), length))

    def synced(self, path: str) -> None:
        """A file was synced."""
        self.operations.append(Synced(self._number(path)))

    def folder_synced(self) -> None:
        """The folder was synced."""
        self.operations.append(FolderSynced())

    def removed(self, path: str) -> None:
        """A file was removed; another one of its name will be another file."""
        name = Path(path).name
        del self._numbers[name]
        self.operations.append(Unlinked(name))

    def _number(self, path: str) -> int:
        return self._numbers[Path(path).name]


class _File(apsw.VFSFile):
    def __init__(self, journal: Journal, path: str, inherited: str, filename: Any, flags: list[int]) -> None:
        super().__init__(inherited, filename, flags)
        self._journal, self._path = journal, path
        self._syncs_folder = bool(flags[0] & apsw.SQLITE_OPEN_CREATE and flags[0] & _FOLDER_TOO)

    def xWrite(self, data: bytes, offset: int) -> None:
        """Write and note it."""
        super().xWrite(data, offset)
        self._journal.written(self._path, offset, data)

    def xTruncate(self, newsize: int) -> None:
        """Cut and note it."""
        super().xTruncate(newsize)
        self._journal.cut(self._path, newsize)

    def xSync(self, flags: int) -> None:
        """Sync and note it."""
        super().xSync(flags)
        self._journal.synced(self._path)
        if self._syncs_folder:
            self._syncs_folder = False
            self._journal.folder_synced()


class _System(apsw.VFS):
    def __init__(self, journal: Journal, inherited: str) -> None:
        self._journal, self._inherited = journal, inherited
        super().__init__(_NAME, inherited)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:
        """Open a file of this disk."""
        assert name is not None, "a log has no files without a name"
        path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        self._journal.opened(path)
        return _File(self._journal, path, self._inherited, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        """Remove a file and note it."""
        super().xDelete(filename, syncdir)
        self._journal.removed(filename)
        if syncdir:
            self._journal.folder_synced()


class _OperatingSystem:
    """`os` for the module that makes the log's files, noting what it does to them."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._paths: dict[int, str] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(os, name)

    def open(self, path: Any, flags: int, mode: int = 0o777) -> int:
        """Open and remember which file it is."""
        if not os.fspath(path).endswith(_OTHERS):
            self._journal.opened(os.fspath(path))
        descriptor = os.open(path, flags, mode)
        if not os.fspath(path).endswith(_OTHERS):
            self._paths[descriptor] = os.fspath(path)
        return descriptor

    def pwrite(self, descriptor: int, data: bytes, offset: int) -> int:
        """Write and note it."""
        written = os.pwrite(descriptor, data, offset)
        if descriptor in self._paths:
            self._journal.written(self._paths[descriptor], offset, data[:written])
        return written

    def fsync(self, descriptor: int) -> None:
        """Sync and note it."""
        os.fsync(descriptor)
        self._journal.synced(self._paths[descriptor])

    def close(self, descriptor: int) -> None:
        """Close."""
        os.close(descriptor)
        self._paths.pop(descriptor, None)


@contextmanager
def journaling_disk(folder: Path) -> Iterator[Journal]:
    """Every log that is opened meanwhile lies on this disk; all must be in one folder."""
    usual = apsw.vfs_names()[0]
    journal = Journal(folder)
    system = _System(journal, usual)
    apsw.set_default_vfs(_NAME)
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sqlite_file, "os", _OperatingSystem(journal))
            yield journal
    finally:
        apsw.set_default_vfs(usual)
        system.unregister()
