"""From the templates of a language to the files of a bot's project."""

from __future__ import annotations

import re
import shutil
import sys
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType

from cutpurse_rules import GAMES
from cutpurse_server import __version__

__all__ = ["LANGUAGES", "BotProject", "Language", "NoProject", "sdk_of_this_checkout", "written"]

NAME_FORM = "1 to 40 lower-case letters, digits and `-`, a letter first"
"""What a project may be called, so that every language's package names can follow from it."""

_NAME = re.compile(r"[a-z][a-z0-9-]{0,39}")
_AWKWARD = re.compile(r"[^\w./@+~,-]")
"""What a path must not have that goes into Makefiles and package files as it is: make has no way to quote a blank."""
_DESCRIPTION = "project.toml"
_SUFFIX = ".template"
_IF_CHECKOUT, _IF_PUBLISHED = "@CHECKOUT@", "@PUBLISHED@"


class NoProject(Exception):
    """A project that cannot be made; the text says why, and what to do."""


@dataclass(frozen=True, slots=True)
class Language:
    """A language that projects can be made in: a folder of templates with a `project.toml`."""

    id: str
    """As it is typed, and as its folder is called."""
    title: str
    """As its people write it."""
    tools: Mapping[str, str]
    """The programs that a project needs on PATH; by each, what to install for it."""
    folder: Path
    """Where its templates lie."""

    def missing_tools(self) -> list[str]:
        """What is not on PATH, each with what to install for it."""
        return [f"{tool} ({source})" for tool, source in self.tools.items() if shutil.which(tool) is None]


@dataclass(frozen=True, slots=True)
class BotProject:
    """What a project is made for. Raises `NoProject` for a name that a bot cannot have, or a path that breaks tools."""

    language: Language
    name: str
    """The bot's, and the package's."""
    game: str
    """The game that its strategy begins with, and that it plays at home."""
    sdk: Path | None = field(default=None)
    """The folder of the language's SDK in a checkout; None: the published one of this version."""

    def __post_init__(self) -> None:
        if _NAME.fullmatch(self.name) is None:
            raise NoProject(f"{self.name!r} is no name for a bot: a name has {NAME_FORM}; give one with --name")
        if self.sdk is not None and not self.sdk.is_dir():
            raise NoProject(f"--sdk: {self.sdk} is no folder; give the folder of the {self.language.title} SDK")
        for path in (self.sdk.resolve(), Path(sys.executable)) if self.sdk is not None else ():
            _refuse_awkward(path)
        assert self.game in GAMES, "whoever asks has looked the game up"

    def files(self) -> dict[str, str]:
        """The project's files: by path within it, their text."""
        texts = {}
        for path in sorted(self.language.folder.rglob("*")):
            name = self._name_in_project(path.relative_to(self.language.folder).as_posix())
            if name is not None and path.is_file():
                text = self._filled("".join(self._lines(path)))
                # A template whose lines are all for the other kind of SDK is no file at all.
                if text:
                    texts[name] = text
        return texts

    def _name_in_project(self, name: str) -> str | None:
        """What a template is called in the project; None if it is no part of it."""
        if name == _DESCRIPTION:
            return None
        name = name.removesuffix(_SUFFIX)
        for game in GAMES:
            if name.endswith(f".{game}"):
                return self._filled(name.removesuffix(f".{game}")) if game == self.game else None
        return self._filled(name)

    def _lines(self, template: Path) -> Iterator[str]:
        """The lines that this project has of a template."""
        for line in template.read_text(encoding="utf-8").splitlines(keepends=True):
            if line.startswith((_IF_CHECKOUT, _IF_PUBLISHED)):
                if line.startswith(_IF_CHECKOUT) == (self.sdk is not None):
                    yield line.removeprefix(_IF_CHECKOUT).removeprefix(_IF_PUBLISHED)
            else:
                yield line

    def _filled(self, text: str) -> str:
        for place, value in self._values().items():
            text = text.replace(place, value)
        return text

    def _values(self) -> dict[str, str]:
        command = Path(sys.executable).with_name("cutpurse")
        # Whoever works in a checkout may have another shell tomorrow, in which its environment is not active.
        in_checkout = self.sdk is not None and command.exists()
        return {
            "@NAME@": self.name,
            "@GAME@": self.game,
            "@SDK@": __version__ if self.sdk is None else str(self.sdk.resolve()),
            "@CUTPURSE@": str(command) if in_checkout else "cutpurse",
            "@PYTHON@": sys.executable if in_checkout else "python3",
        }


def _refuse_awkward(path: Path) -> None:
    if (found := _AWKWARD.search(str(path))) is not None:
        raise NoProject(f"{path}: the tools of a project fail at a path with {found[0]!r}; put it elsewhere")


def _languages() -> Mapping[str, Language]:
    found = {}
    for description in sorted(Path(__file__).parent.glob(f"*/{_DESCRIPTION}")):
        about = tomllib.loads(description.read_text(encoding="utf-8"))
        name = description.parent.name
        found[name] = Language(name, about["title"], MappingProxyType(about["tools"]), description.parent)
    return MappingProxyType(found)


LANGUAGES: Mapping[str, Language] = _languages()
"""The languages that there are, by what is typed."""


def sdk_of_this_checkout(language: Language) -> Path | None:
    """The language's SDK beside this very file; None where this is no checkout."""
    for folder in Path(__file__).resolve().parents:
        sdk = folder / "sdk" / language.id
        if (folder / "proto" / "cutpurse" / "v1").is_dir() and sdk.is_dir():
            return sdk
    return None


def written(project: BotProject, folder: Path) -> list[str]:
    """Write a project into `folder`, which must be new or empty; its files. Raises `NoProject`."""
    files = project.files()
    # A path such as `new/..` is one that is there already.
    folder = folder.resolve()
    _refuse_awkward(folder)
    try:
        if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
            raise NoProject(f"{folder} is there already and not empty; name a new folder, or remove what is in it")
        for name, text in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise NoProject(f"cannot write {error.filename or folder}: {error.strerror}; name another folder") from None
    return list(files)
