"""A folder in memory for what keeps many copies of small files."""

import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder in memory where there is one: what these tests' disks keep need not be durable."""
    memory = Path("/dev/shm")
    made = Path(tempfile.mkdtemp(prefix="cutpurse-faults-", dir=memory if memory.is_dir() else None))
    yield made
    shutil.rmtree(made)
