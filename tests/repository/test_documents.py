"""Documents tell the truth: links lead somewhere, and snippets that are marked run.

How to mark a snippet, behind the language of its fence:

- ``console run``       each line that starts with ``$ `` is a command and must succeed; the lines below it are its
                        output, where a line ``…`` stands for any lines and ``…`` within a line for any text
- ``python run``        a program that must end without an error or a warning
- ``python file=NAME``  is written to that file, so that later snippets can run it; any language (``toml file=…``)
- ``slow``              as one more word: the document's snippets run with the slow tests
- ``languages``         the same: they need the tools of other languages, and run with ``make test-languages``

The snippets of one document run in order in one fresh folder, with the environment's programs first on PATH. A Python
snippet without a mark must still parse. Everything else is only shown.
"""

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.repository.tree import ROOT, ours

SECONDS_PER_COMMAND = 240

MARKS = {
    "languages": [pytest.mark.languages, pytest.mark.timeout(900)],
    "slow": [pytest.mark.slow, pytest.mark.timeout(600)],
}
"""By a word behind a fence: how the tests of the document's snippets are marked."""


@dataclass(frozen=True)
class Snippet:
    """A fenced block of a document."""

    line: int
    """Where its fence stands, from 1."""
    language: str
    """The first word behind the fence, or nothing."""
    marks: frozenset[str]
    """The further words behind the fence."""
    text: str
    """What stands between the fences."""

    @property
    def file(self) -> str | None:
        """The file that it is to be written to."""
        return next((mark.removeprefix("file=") for mark in self.marks if mark.startswith("file=")), None)


FENCE = re.compile(r"^```(?P<info>[^`\n]*)\n(?P<text>.*?)^```\s*$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"(?<!`)\[[^\]\n]*\]\((?P<target>[^)\s]+)(?: \"[^\"]*\")?\)")


def documents(root: Path) -> list[Path]:
    """Every document below `root`."""
    return [path for path in ours(root) if path.suffix == ".md"]


def snippets(document: Path) -> list[Snippet]:
    """The fenced blocks of a document, in order."""
    text = document.read_text(encoding="utf-8")
    found = []
    for fence in FENCE.finditer(text):
        language, *marks = fence["info"].split() or [""]
        line = text.count("\n", 0, fence.start()) + 1
        found.append(Snippet(line, language, frozenset(marks), fence["text"]))
    return found


def runs_with(document: Path) -> str:
    """With which tests the snippets of a document run: ``slow``, ``languages``, or nothing for the quick ones."""
    marks = {mark for snippet in snippets(document) for mark in snippet.marks}
    return next((kind for kind in MARKS if kind in marks), "")


def anchors(document: Path) -> set[str]:
    """The names by which the headings of a document can be linked to."""
    text = FENCE.sub("", document.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ +(.+?) *$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(document: Path) -> Iterator[str]:
    """Relative links of a document that lead to no file or to no heading."""
    for link in LINK.finditer(FENCE.sub("", document.read_text(encoding="utf-8"))):
        name, _, anchor = link["target"].partition("#")
        if re.match(r"[a-z]+:", name):
            continue
        target = (document.parent / name).resolve() if name else document
        if not target.exists():
            yield f"{document.name}: {link['target']} does not exist"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield f"{document.name}: {link['target']} is no heading"


def run_snippets(document: Path, folder: Path) -> list[str]:
    """Run the marked snippets of a document in `folder`; return what is wrong with them."""
    faults: list[str] = []
    for snippet in snippets(document):
        where = f"{document.name}:{snippet.line}"
        try:
            if snippet.language == "python":
                ast.parse(snippet.text)
            if snippet.file is not None:
                (folder / snippet.file).write_text(snippet.text, encoding="utf-8")
            elif "run" in snippet.marks and snippet.language == "python":
                execute([sys.executable, "-W", "error", "-c", snippet.text], folder)
            elif "run" in snippet.marks and snippet.language == "console":
                run_session(snippet.text, folder)
            elif "run" in snippet.marks:
                raise AssertionError(f"do not know how to run {snippet.language or 'this'}")
        except (AssertionError, SyntaxError) as fault:
            faults.append(f"{where}: {fault}")
    return faults


def run_session(text: str, folder: Path) -> None:
    """Run each command of a console session and compare what it prints with what the session shows."""
    parts = re.split(r"^\$ ((?:.*\\\n)*.*)\n", text, flags=re.MULTILINE)
    assert not parts[0].strip(), "a session begins with a command"
    assert len(parts) > 1, "a session without a command"
    for command, shown in zip(parts[1::2], parts[2::2], strict=True):
        printed = execute(["bash", "-euo", "pipefail", "-c", command], folder)
        if shown.strip():
            assert shows(shown, printed), f"{command} printed:\n{printed}"


def shows(shown: str, printed: str) -> bool:
    """Whether a session shows what was printed, `…` standing for what it leaves out."""
    pattern = "\n".join(re.escape(line.rstrip()).replace("…", ".*") for line in shown.strip().splitlines())
    # A line of its own stands for any number of lines, also none.
    pattern = re.sub(r"(?m)^\.\*$\n?", r"(?:.*\n)*?", pattern + "\n")
    lines = "".join(f"{line.rstrip()}\n" for line in printed.strip().splitlines())
    return re.fullmatch(pattern, lines) is not None


def execute(command: list[str], folder: Path) -> str:
    """Run a command that must succeed; return its output, errors included."""
    programs = str(Path(sys.executable).parent)
    environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "COLUMNS": "120", "NO_COLOR": "1"}
    done = subprocess.run(
        command,
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=SECONDS_PER_COMMAND,
    )
    assert done.returncode == 0, f"{command[-1]} ended with {done.returncode}:\n{done.stdout}"
    return done.stdout


def named(documents: list[Path]) -> list[object]:
    """The documents as parameters, by their names, with the marks of the tests that they run with."""
    return [
        pytest.param(each, id=each.relative_to(ROOT).as_posix(), marks=MARKS.get(runs_with(each), []))
        for each in documents
    ]


@pytest.mark.parametrize("document", documents(ROOT), ids=lambda document: document.relative_to(ROOT).as_posix())
def test_every_link_leads_somewhere(document: Path) -> None:
    assert list(dead_links(document)) == []


@pytest.mark.parametrize("document", named(documents(ROOT)))
def test_every_marked_snippet_runs(document: Path, tmp_path: Path) -> None:
    assert run_snippets(document, tmp_path) == []


WORKS = """# Title: one

[there](#title-one) and [beside](beside.md), [away](https://example.org/)

```python file=program.py
print("a b c")
```

```console run
$ python program.py
a … c
$ printf '1\\n2\\n3\\n' \\
    | cat
1
…
$ true
```

```python run
from pathlib import Path

assert Path("program.py").exists()
```

```python
shown_only()
```
"""

PLANTED = [
    "```console run\n$ false\n```\n",
    "```console run\n$ false | true\n```\n",
    "```console run\n$ echo a\nb\n```\n",
    "```console run\n$ printf 'a\\nb\\n'\na\n```\n",
    "```console run\nno command\n```\n",
    "```python run\nraise SystemExit(1)\n```\n",
    "```python run\nimport warnings\nwarnings.warn('a')\n```\n",
    "```python\nno python at all\n```\n",
    "```ruby run\nputs 1\n```\n",
]


@pytest.fixture
def document(tmp_path: Path) -> Path:
    """A document in which everything holds, with another beside it."""
    (tmp_path / "beside.md").touch()
    path = tmp_path / "document.md"
    path.write_text(WORKS, encoding="utf-8")
    return path


def test_what_holds_is_let_be(document: Path, tmp_path: Path) -> None:
    assert list(dead_links(document)) == []
    assert run_snippets(document, tmp_path) == []


@pytest.mark.parametrize("snippet", PLANTED)
def test_a_planted_snippet_that_does_not_run_is_caught(snippet: str, document: Path, tmp_path: Path) -> None:
    with document.open("a", encoding="utf-8") as file:
        file.write(snippet)

    faults = run_snippets(document, tmp_path)

    assert len(faults) == 1
    assert faults[0].startswith(f"document.md:{WORKS.count(chr(10)) + 1}: ")


@pytest.mark.parametrize("link", ["[a](gone.md)", "[a](#gone)", "[a](docs/../gone/)", "![a](gone.png)"])
def test_a_planted_dead_link_is_caught(link: str, document: Path) -> None:
    with document.open("a", encoding="utf-8") as file:
        file.write(link + "\n")

    assert len(list(dead_links(document))) == 1
