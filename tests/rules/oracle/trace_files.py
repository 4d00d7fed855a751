"""Whole trace files for the oracles, and the program that each oracle is when it is called by name."""

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from tests.rules.oracle.trace_lines import Mismatch

__all__ = ["check_file", "run"]

Check = Callable[[Iterable[str]], None]
"""Checks the lines of one trace; raises Mismatch at the first one that is wrong."""


def check_file(path: Path, check: Check) -> None:
    """Check the trace in a file, its encoding and its final line feed included.

    Raises Mismatch as ``check`` does, and OSError if the file cannot be read.
    """
    content = path.read_bytes()
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Mismatch(content.count(b"\n", 0, error.start) + 1, f"not UTF-8: {error.reason}") from error
    if not text.endswith("\n"):
        raise Mismatch(text.count("\n") + 1, "no final line feed")
    # str.splitlines would also split at separators that only look like line ends.
    check(line + "\n" for line in text[:-1].split("\n"))


def run(program: str, arguments: list[str], check: Check) -> int:
    """Check the files that are named and say on stderr what is wrong with them.

    Returns the exit code: 0 if every trace holds, 1 if one does not, 2 for a wrong call or a file that cannot be read.
    """
    if not arguments:
        print(f"usage: {program} FILE…", file=sys.stderr)
        return 2
    code = 0
    for name in arguments:
        try:
            check_file(Path(name), check)
        except Mismatch as mismatch:
            print(f"{name}: {mismatch}", file=sys.stderr)
            code = max(code, 1)
        except OSError as error:
            print(f"{name}: {error.strerror}", file=sys.stderr)
            code = 2
    return code
