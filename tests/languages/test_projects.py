"""What an author of any language does first: make a project, test it, play, check. A new language joins by itself."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from cutpurse_rules import GAMES
from cutpurse_server.bot_projects import LANGUAGES
from tests.languages.projects import Project
from tests.repository.tree import ROOT

pytestmark = [pytest.mark.languages, pytest.mark.timeout(900)]


def test_every_language_with_an_sdk_has_a_project() -> None:
    assert set(LANGUAGES) == {folder.name for folder in (ROOT / "sdk").iterdir() if folder.is_dir()}


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_new_project_passes_its_own_tests(language: str, game: str, tmp_path: Path) -> None:
    project = Project.new(language, game, tmp_path / "my-bot")

    project.make("test")

    assert project.make("build") is not None, "it can be built again"


@pytest.mark.parametrize("language", LANGUAGES)
def test_it_plays_against_house_bots_with_one_command(language: str, projects: Mapping[str, Project]) -> None:
    printed = projects[language].make("play")

    assert "Result: " in printed
    assert f"{language}-bot" in printed


# The first bots, which differ in nothing that the check looks at, pass it in every run.
@pytest.mark.long
@pytest.mark.parametrize("language", LANGUAGES)
def test_it_passes_the_conformance_check(language: str, projects: Mapping[str, Project]) -> None:
    printed = projects[language].make("check")

    assert " passed" in printed
    assert "failed" not in printed
