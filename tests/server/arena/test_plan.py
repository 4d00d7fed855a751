"""Plans of local tournaments: what may be written, and how mistakes are named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cutpurse_server.arena.plan import LOCAL_CLOCK, BadPlan, Entry, Plan, entries_of, plan_of_file

FILE = """
name = "spring"
game = "art_robbery"
players = 2
rounds = 3
seed = "7"
[options]
heist_turn_limit = 20
[clock]
decision_ms = 900
[[bots]]
run = "greedy"
[[bots]]
name = "mine"
owner = "me"
run = "python3 my_bot.py --fast"
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "plan.toml"
    path.write_text(text)
    return path


def test_a_file_describes_a_tournament_completely(tmp_path: Path) -> None:
    plan = plan_of_file(written(tmp_path, FILE))

    assert (plan.name, plan.game, plan.players, plan.rounds, plan.seed) == ("spring", "art_robbery", 2, 3, "7")
    assert plan.options == {"heist_turn_limit": 20}
    assert plan.clock == LOCAL_CLOCK._replace(decision_ms=900)
    assert plan.entries == (Entry("greedy", "greedy", "greedy"), Entry("mine", "python3 my_bot.py --fast", "me"))


def test_a_plan_survives_as_text_that_is_equal_for_equal_plans(tmp_path: Path) -> None:
    first, second = plan_of_file(written(tmp_path, FILE)), plan_of_file(written(tmp_path, FILE))

    assert first.to_json() == second.to_json()
    assert first.to_json() != plan_of_file(written(tmp_path, FILE.replace("rounds = 3", "rounds = 4"))).to_json()


@pytest.mark.parametrize(
    ("before", "after", "named"),
    [
        ('game = "art_robbery"', 'game = "chess"', "'chess'"),
        ('game = "art_robbery"', "", "game is missing"),
        ("rounds = 3", 'rounds = "three"', "rounds must be a whole number"),
        ("rounds = 3", "rounds = true", "rounds must be a whole number"),
        ("rounds = 3", "runds = 3", "no key runds"),
        ("decision_ms = 900", "decison_ms = 900", "no key clock.decison_ms"),
        ('name = "mine"', 'name = "my bot"', "'my bot'"),
        ('name = "mine"', 'name = "greedy"', "same name"),
        ('run = "greedy"', "", "bots[1].run is missing"),
        ('run = "greedy"', 'run = "no-such-program"', "'no-such-program'"),
        ('run = "greedy"', 'run = "\'"', "cannot be read"),
        ("players = 2", "players = 3", "3 seats"),
        ("players = 2", 'players = 2\nformat = "swiss"', "'swiss'"),
        ("players = 2", "players = = 2", "no TOML"),
        ("heist_turn_limit = 20", "heist_turn_limit = 0", "heist_turn_limit"),
        ("heist_turn_limit = 20", "turn_limit = 20", "turn_limit"),
        ("decision_ms = 900", "decision_ms = 0", "clock.decision_ms"),
    ],
)
def test_a_mistake_is_named_with_its_place(tmp_path: Path, before: str, after: str, named: str) -> None:
    assert before in FILE

    with pytest.raises(BadPlan) as refused:
        plan_of_file(written(tmp_path, FILE.replace(before, after, 1)))

    assert named in str(refused.value)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadPlan, match="nowhere"):
        plan_of_file(tmp_path / "nowhere.toml")


def test_options_name_house_bots_and_programs_and_repeated_names_are_numbered() -> None:
    entries = entries_of(["random", "random", "mine=python3 x.py", "fast=greedy"])

    assert [entry.name for entry in entries] == ["random", "random-2", "mine", "fast"]
    assert entries[0].command()[:3] == [sys.executable, "-m", "cutpurse_bots"]
    assert entries[2].command() == ["python3", "x.py"]
    assert entries[3].command()[-1] == "greedy"


def test_a_name_that_is_no_house_bot_says_how_a_program_is_entered() -> None:
    with pytest.raises(BadPlan, match="NAME=COMMAND"):
        entries_of(["nobody"])


def test_a_plan_needs_as_many_bots_as_a_table_has_seats() -> None:
    with pytest.raises(BadPlan, match="enter more"):
        Plan("cup", "art_robbery", 3, 1, 1, "", {}, entries_of(["random", "random"]))
