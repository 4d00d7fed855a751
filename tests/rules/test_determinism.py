"""A match is a function of configuration, chance and choices: no environment changes a byte (G2)."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("print_traces.py")
REFERENCE = {"PYTHONHASHSEED": "0", "LANG": "C", "LC_ALL": "C", "TZ": "UTC"}


def printed(environment: dict[str, str], *flags: str) -> bytes:
    return subprocess.run(
        [sys.executable, *flags, str(PROGRAM)],
        env={**os.environ, **environment},
        check=True,
        capture_output=True,
        timeout=60,
    ).stdout


@pytest.fixture(scope="module")
def reference() -> bytes:
    return printed(REFERENCE)


@pytest.mark.parametrize(
    ("environment", "flags"),
    [
        ({"PYTHONHASHSEED": "1"}, []),
        ({"PYTHONHASHSEED": "4294967295", "LANG": "tr_TR.UTF-8", "LC_ALL": "tr_TR.UTF-8"}, []),
        ({"TZ": "Pacific/Kiritimati", "LC_ALL": "C.UTF-8"}, []),
        ({}, ["-O"]),
    ],
    ids=["hash seed", "locale", "time zone", "without asserts"],
)
def test_traces_are_the_same_bytes_everywhere(environment: dict[str, str], flags: list[str], reference: bytes) -> None:
    assert len(reference) > 100_000
    assert printed({**REFERENCE, **environment}, *flags) == reference
