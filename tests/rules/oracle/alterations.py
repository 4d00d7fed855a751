"""Planted mistakes in a sound trace, and the check that an oracle refuses each exactly where it is."""

import copy
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from tests.rules.oracle.trace_lines import Mismatch, dump

__all__ = ["FOREIGN_BYTES", "Alteration", "Line", "assert_refused", "in_views", "objects", "swap"]

Line: TypeAlias = dict[str, Any]
Alteration: TypeAlias = tuple[str, int, str, Callable[[list[Line]], object]]
"""Its name, the line (from 1) at which it must be refused, a part of the refusal's text, and what makes it."""

FOREIGN_BYTES = [
    (b'{"asked":[', b'{"asked": ['),
    (b'"number":1,"type":"decision"', b'"type":"decision","number":1'),
    (b'"type":"decision"', b'"type":"decision","type":"decision"'),
    (b'"type"', b'"\\u0074ype"'),
    (b"\n", b"\r\n"),
    (b"\n", b"\n\n"),
    (b'"random-2"', b'"random\xff"'),
    (b'"random-2"', '"r\u00e4ndom"'.encode()),
]
"""Pairs of bytes: what stands in every sample, and a foreign way to write it."""


def objects(path: Path) -> list[Line]:
    """The lines of a trace."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def swap(values: list[Any], one: int, other: int) -> None:
    """Exchange two places of a list."""
    values[one], values[other] = values[other], values[one]


def in_views(line: Line, key: str, value: Any) -> None:
    """Set a key in everybody's view."""
    for view in line["views"].values():
        view[key] = value


def assert_refused(check: Callable[[Iterable[str]], None], sound: list[Line], alteration: Alteration) -> None:
    """The oracle refuses the altered trace at the line and with the text that are named."""
    _, line, text, alter = alteration
    lines = copy.deepcopy(sound)
    alter(lines)
    with pytest.raises(Mismatch) as refusal:
        check(dump(entry) for entry in lines)
    assert refusal.value.line == line, str(refusal.value)
    assert text in str(refusal.value)
