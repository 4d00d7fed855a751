"""From templates to a project: what is filled in, what is left out, and what is refused."""

import os
import re
import subprocess
import sys
from pathlib import Path
from types import MappingProxyType

import pytest
from typer.testing import CliRunner

from cutpurse_rules import GAMES
from cutpurse_server.bot_projects import LANGUAGES, BotProject, Language, NoProject, written
from cutpurse_server.bot_projects.rendering import sdk_of_this_checkout
from cutpurse_server.cli import app


@pytest.fixture
def language(tmp_path: Path) -> Language:
    """A language with one template of each kind."""
    folder = tmp_path / "templates"
    (folder / "@NAME@").mkdir(parents=True)
    (folder / "project.toml").write_text("not part of it")
    (folder / "@NAME@" / "main.x.template").write_text("@NAME@ plays @GAME@\n@CHECKOUT@at @SDK@\n@PUBLISHED@v@SDK@\n")
    (folder / "worth.x.art_robbery.template").write_text("art")
    (folder / "worth.x.big_max").write_text("max")
    (folder / "lock.template").write_text("@PUBLISHED@locked\n")
    return Language("x", "X", MappingProxyType({"make": "make", "no-such-tool": "X 1 or newer"}), folder)


def test_names_games_and_the_sdk_are_filled_in(language: Language, tmp_path: Path) -> None:
    sdk = tmp_path / "sdk"
    sdk.mkdir()

    assert BotProject(language, "rook", "art_robbery", sdk).files() == {
        "rook/main.x": f"rook plays art_robbery\nat {sdk}\n",
        "worth.x": "art",
    }


def test_outside_a_checkout_the_published_version_is_asked_for(language: Language) -> None:
    files = BotProject(language, "rook", "big_max").files()

    assert re.fullmatch(r"rook plays big_max\nv\d+\.\d+\.\d+\n", files["rook/main.x"])
    assert files["lock"] == "locked\n"
    assert files["worth.x"] == "max"


@pytest.mark.parametrize("name", ["", "Rook", "1rook", "rook bot", "rook/..", "r" * 41, "rook\n"])
def test_a_name_that_some_language_cannot_have_is_refused(name: str, language: Language) -> None:
    with pytest.raises(NoProject, match="--name"):
        BotProject(language, name, "big_max")


@pytest.mark.parametrize("folder", ["my bots", "a$b", "it's", 'a"b', "a#b", "a;b"])
def test_a_path_that_breaks_makefiles_and_package_files_is_refused(
    folder: str, language: Language, tmp_path: Path
) -> None:
    sdk = tmp_path / folder / "sdk"
    sdk.mkdir(parents=True)

    with pytest.raises(NoProject, match="put it elsewhere"):
        BotProject(language, "rook", "big_max", sdk)


def test_nothing_is_written_where_something_is(language: Language, tmp_path: Path) -> None:
    (tmp_path / "bot").mkdir()
    (tmp_path / "bot" / "mine").touch()
    (tmp_path / "file").touch()
    project = BotProject(language, "rook", "big_max")

    for name in ("bot", "file"):
        with pytest.raises(NoProject, match="not empty"):
            written(project, tmp_path / name)
    assert [path.name for path in (tmp_path / "bot").iterdir()] == ["mine"]
    assert written(project, tmp_path / "new") == ["rook/main.x", "lock", "worth.x"]


def test_a_folder_that_is_there_is_found_by_every_path_to_it(language: Language, tmp_path: Path) -> None:
    (tmp_path / "mine").touch()

    with pytest.raises(NoProject, match="not empty"):
        written(BotProject(language, "rook", "big_max"), tmp_path / "new" / "..")

    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["mine"]
    assert not (tmp_path / "new").exists()


def test_a_project_is_not_put_where_its_own_makefile_fails(language: Language, tmp_path: Path) -> None:
    with pytest.raises(NoProject, match="path with ' '; put it elsewhere"):
        written(BotProject(language, "rook", "big_max"), tmp_path / "my bots" / "rook")

    assert not (tmp_path / "my bots").exists()


def test_tools_that_are_missing_are_named_with_what_to_install(language: Language) -> None:
    assert language.missing_tools() == ["no-such-tool (X 1 or newer)"]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("name", LANGUAGES)
@pytest.mark.parametrize("published", [False, True])
def test_every_language_has_a_whole_project_for_every_game(name: str, game: str, published: bool) -> None:
    language = LANGUAGES[name]
    sdk = None if published else sdk_of_this_checkout(language)

    files = BotProject(language, "rook", game, sdk).files()

    assert {"Makefile", "README.md", ".gitignore"} <= set(files)
    targets = set(re.findall(r"^([a-z]+):", files["Makefile"], re.MULTILINE))
    assert {"build", "test", "play", "simulate", "check"} <= targets
    left = {found for each in [*files, *files.values()] for found in re.findall(r"@[A-Z]+@", each)}
    assert left == set(), "a place that nobody fills"
    assert not any(each.endswith((".template", *GAMES)) for each in files)
    assert any(game in text for text in files.values())


def test_a_python_bot_that_is_told_no_address_says_so_in_one_line(tmp_path: Path) -> None:
    language = LANGUAGES["python"]
    written(BotProject(language, "rook", "big_max", sdk_of_this_checkout(language)), tmp_path / "rook")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CUTPURSE_")}

    ended = subprocess.run(
        [sys.executable, tmp_path / "rook" / "bot.py"], env=environment, capture_output=True, text=True
    )

    assert ended.returncode == 1
    assert re.fullmatch(r"rook: no address: .*CUTPURSE_ADDRESS.*\n", ended.stderr)


def test_the_command_says_what_comes_next(tmp_path: Path) -> None:
    folder = tmp_path / "rook"

    done = CliRunner().invoke(app, ["bot", "new", "--language", "python", str(folder), "--game", "big_max"])

    assert done.exit_code == 0, done.output
    assert [line.split("#")[0].strip() for line in done.stdout.splitlines()[-3:]] == [
        f"cd {folder}",
        "make test",
        "make play",
    ]
    assert '--bot "rook=$(RUN)"' in (folder / "Makefile").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--language", "cobol", "new"], "python"),
        (["--language", "python", "new", "--game", "chess"], "big_max"),
        (["--language", "python", "new", "--name", "My Bot"], "lower-case letters"),
        (["--language", "python", "new", "--sdk", "nowhere"], "nowhere is no folder"),
        (["--language", "python", ".", "--name", "rook"], "not empty"),
    ],
)
def test_what_cannot_be_made_is_refused_with_what_to_write_instead(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "something").touch()
    monkeypatch.chdir(tmp_path)

    done = CliRunner().invoke(app, ["bot", "new", *arguments])

    assert done.exit_code == 2
    assert said in " ".join(done.output.split())
    assert not (tmp_path / "new").exists()
