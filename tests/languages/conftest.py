"""What the tests of all languages share: one built project of each language, and the bot in C++."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from cutpurse_server.bot_projects import LANGUAGES
from tests.languages.projects import Project, succeeded
from tests.repository.tree import ROOT


@pytest.fixture(scope="session")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Mapping[str, Project]:
    """By language: a project for Big Max's Inheritance, built."""
    folder = tmp_path_factory.mktemp("projects")
    made = {language: Project.new(language, "big_max", folder / f"{language}-bot") for language in LANGUAGES}
    for project in made.values():
        project.make("build")
    return made


@pytest.fixture(scope="session")
def in_cpp() -> Path:
    """The bot in C++, built where `make test-cpp` builds it."""
    build = ROOT / "build" / "cpp"
    succeeded("cmake", "-S", str(ROOT / "bots/examples/cpp_proto_only"), "-B", str(build), folder=ROOT)
    succeeded("cmake", "--build", str(build), folder=ROOT)
    return build / "bot"
