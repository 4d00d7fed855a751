"""Make docs/pictures/demo.svg: what a terminal shows at the end of a real tournament. `make picture` runs it.

The command runs in a pseudo terminal, and everything that it writes there goes into the picture, colours included.
Nothing is typed by hand and nothing is left out; a command that fails makes no picture.
"""

from __future__ import annotations

import fcntl
import io
import os
import pty
import re
import shlex
import struct
import sys
import tempfile
import termios
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

COMMAND = (
    "cutpurse tournament run --game art_robbery --bot greedy --bot random --bot first --bot greedy"
    " --players 3 --rounds 5 --out cup"
)
PICTURE = Path(__file__).with_name("demo.svg")
COLUMNS, ROWS = 128, 50

# Rich redraws by erasing whole lines, so a line is its text with the colours in it. Anything else than these would need
# a better terminal than ours, and is refused.
CONTROL = re.compile(r"(?P<colour>\x1b\[[\d;]*m)|\x1b\[(?P<count>\d*)(?P<control>[AKG])|\x1b\[\?25[lh]|\r?\n|\r")


def main() -> None:
    """Run the command and write the picture."""
    written = run_in_terminal(shlex.split(COMMAND))
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True)
    console.print(Text.from_ansi(f"\x1b[1m$ {COMMAND}\x1b[0m"))
    for line in lines_left(written):
        console.print(Text.from_ansi(line), overflow="fold")
    # Without fonts from elsewhere: whoever looks at the picture asks nobody for anything.
    style = re.sub(r"@font-face \{\{.*?\}\}\n", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
    picture = console.export_svg(title="cutpurse", code_format=style, unique_id="cutpurse-demo")
    PICTURE.write_text("\n".join(line.rstrip() for line in picture.splitlines()) + "\n", encoding="utf-8")


def run_in_terminal(command: list[str]) -> str:
    """Run a command in a fresh folder and in a terminal of its own; all that it wrote there."""
    # The command of the environment that runs this script, wherever that lies.
    programs = Path(sys.executable).parent
    with tempfile.TemporaryDirectory() as folder:
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(folder)
            os.environ |= {"TERM": "xterm-256color", "COLORTERM": "truecolor", "LC_ALL": "C.UTF-8"}
            os.environ |= {"COLUMNS": str(COLUMNS), "LINES": str(ROWS)}
            os.execv(programs / command[0], command)
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, COLUMNS, 0, 0))
        written = b""
        while True:
            try:
                piece = os.read(terminal, 65_536)
            except OSError:
                # The other side of the terminal is closed.
                break
            if not piece:
                break
            written += piece
        _, status = os.waitpid(child, 0)
    text = written.decode()
    if status != 0:
        raise SystemExit(f"the command failed:\n{text}")
    return text


def lines_left(written: str) -> list[str]:
    """The lines that a terminal shows when everything has been written to it."""
    lines, row, at = [""], 0, 0
    for found in CONTROL.finditer(written):
        lines[row] += written[at : found.start()]
        at = found.end()
        if found["colour"]:
            lines[row] += found["colour"]
        elif found["control"] == "A":
            row -= int(found["count"] or 1)
            assert row >= 0, "moved above what was written"
        elif found["control"] == "K":
            lines[row] = ""
        elif found[0].endswith("\n"):
            row += 1
            if row == len(lines):
                lines.append("")
    lines[row] += written[at:]
    assert "\x1b" not in re.sub(r"\x1b\[[\d;]*m", "", "".join(lines)), "a control that this terminal does not know"
    return [line.rstrip() for line in lines if line.strip()]


if __name__ == "__main__":
    main()
