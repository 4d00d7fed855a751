"""Plans of local tournaments: what may be written, and how mistakes are named."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from cutpurse_server.arena.plan import FORMATS, LOCAL_CLOCK, ROUNDS, BadPlan, Entry, Plan, entries_of
from cutpurse_server.arena.tournament_file import TEMPLATE, plan_of_file, write_template
from cutpurse_server.tournaments.events import FormatSettings

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
    ("before", "after", "line", "named"),
    [
        ('game = "art_robbery"', 'game = "chess"', 3, "'chess'; there are art_robbery"),
        ('game = "art_robbery"', "", None, "game is missing; there are art_robbery"),
        ("rounds = 3", 'rounds = "three"', 5, "rounds must be a whole number"),
        ("rounds = 3", "rounds = true", 5, "rounds must be a whole number"),
        ("rounds = 3", "runds = 3", 5, "no key runds; did you mean rounds?"),
        ("rounds = 3", "best_of = 3", 5, "no key best_of; it stands under [settings]"),
        ("rounds = 3", "rounds = 999999", 5, "from 1 to 131,072"),
        ("decision_ms = 900", "decison_ms = 900", 10, "no key clock.decison_ms; did you mean decision_ms?"),
        ('name = "mine"', 'name = "my bot"', 14, "'my bot'"),
        ('name = "mine"', 'name = "greedy"', 14, "there is another 'greedy'; give each"),
        ('run = "greedy"', "", 11, "bots[1].run is missing"),
        ('run = "greedy"', 'name = "x"', 11, "bot x: write run"),
        ('run = "greedy"', 'run = "no-such-program"', 12, "'no-such-program' to run; write its path"),
        ('run = "greedy"', 'run = "greddy"', 12, "'greddy' to run; did you mean the house bot greedy?"),
        ('run = "greedy"', 'run = "\'"', 11, "names have"),
        ('run = "greedy"', 'name = "x"\nrun = "\'"', 13, "bot x: run: the command"),
        ('owner = "me"', "owner = 7", 15, "bots[2].owner must be a text in quotes"),
        ("players = 2", "players = 3", 4, "3 seats"),
        ("players = 2", 'players = 2\nformat = "swis"', 5, "'swis'; write swiss"),
        ("players = 2", "players = = 2", 4, "this is no TOML"),
        ("players = 2", "players = two", 4, "texts stand in quotes, numbers do not"),
        ("heist_turn_limit = 20", "heist_turn_limit = 0", 8, "heist_turn_limit"),
        ("heist_turn_limit = 20", "turn_limit = 20", 8, "turn_limit"),
        ("decision_ms = 900", "decision_ms = 0", 10, "clock.decision_ms"),
        ("[options]", "[settings]\nbest_of = 3\n[options]", 8, "best_of: a round-robin has no such setting"),
        ("[options]", "[limits]\nmemory_mb = 0\n[options]", 8, "memory_mb: 0 is out of range; write a number from 1"),
        ("[options]", "[limits]\nmemory = 9\n[options]", 8, "no key limits.memory; did you mean memory_mb?"),
        ("[options]", '[publication]\nopenings = "never"\n[options]', 8, "'never'; write block or tournament"),
        ('seed = "7"', 'format = "gauntlet"\n[settings]\nchallenger = "x"', 8, "challenger: 'x' is none of the bots"),
    ],
)
def test_a_mistake_is_named_with_its_line_and_a_remedy(
    tmp_path: Path, before: str, after: str, line: int | None, named: str
) -> None:
    assert before in FILE
    path = written(tmp_path, FILE.replace(before, after, 1))

    with pytest.raises(BadPlan) as refused:
        plan_of_file(path)

    assert named in str(refused.value)
    if line is not None:
        assert str(refused.value).startswith(f"{path}:{line}: ")


def test_a_file_that_is_no_program_is_told_how_to_be_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bot.py").touch()
    monkeypatch.chdir(tmp_path)

    with pytest.raises(BadPlan, match=r"'bot\.py' to run; a file of that name is here: .*'python bot\.py'"):
        Entry("mine", "bot.py", "me").command()


def test_all_mistakes_are_named_at_once_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = FILE.replace("art_robbery", "art_robery").replace("rounds = 3", "runds = 3").replace("= 900", '= "1s"')
    path = written(tmp_path, text.replace("owner =", "ownr =") + "[limits]\nmemory = 1\n")

    with pytest.raises(BadPlan) as refused:
        plan_of_file(path)

    named = [line.removeprefix(f"{path}:").partition(": ") for line in str(refused.value).splitlines()]
    assert [(int(line), text.split(";")[0]) for line, _, text in named] == [
        (3, "game: there is no 'art_robery'"),
        (5, "there is no key runds"),
        (10, "clock.decision_ms must be a whole number, not '1s'"),
        (15, "there is no key bots[2].ownr"),
        (18, "there is no key limits.memory"),
    ]


def test_the_written_file_can_be_played_as_it_is_and_with_every_default_uncommented(tmp_path: Path) -> None:
    write_template(tmp_path / "tournament.toml")

    plan = plan_of_file(tmp_path / "tournament.toml")
    assert (plan.players, plan.rounds, plan.format) == (3, 2, "round-robin")

    # Without what belongs to another format, and what is an example.
    others = ("advance", "best_of", "tie_blocks", "challenger", "error_per_mille", "rank", "owner", "tables")
    spelt_out = "\n".join(
        line.removeprefix("# ")
        if "=" in line and line.startswith("# ") and not line.startswith(tuple(f"# {each} " for each in others))
        else line
        for line in TEMPLATE.splitlines()
    )
    full = plan_of_file(written(tmp_path, spelt_out))
    assert full.seed == "repeat me"
    assert full.clock == plan.clock
    assert full.options == {"heist_turn_limit": 120}


def test_a_file_that_is_there_is_not_replaced(tmp_path: Path) -> None:
    path = written(tmp_path, "mine")

    with pytest.raises(BadPlan, match="name another file"):
        write_template(path)

    assert path.read_text() == "mine"


@pytest.mark.parametrize("name", FORMATS)
def test_every_format_can_be_written_and_has_its_number_of_rounds(tmp_path: Path, name: str) -> None:
    settings = '[settings]\nchallenger = "mine"\n' if name == "gauntlet" else ""
    text = FILE.replace("rounds = 3\n", "").replace("[options]", f"{settings}[options]")

    plan = plan_of_file(written(tmp_path, text.replace("players = 2", f'players = 2\nformat = "{name}"')))

    assert plan.manifest().format is FORMATS[name]
    assert plan.rounds == ROUNDS[name]


def test_a_file_for_a_service_elsewhere_needs_no_commands(tmp_path: Path) -> None:
    head = 'game = "art_robbery"\nplayers = 2\nformat = "single-elimination"\n'
    text = head + '[settings]\nbest_of = 3\n[[bots]]\nname = "x"\nrank = 1\n'

    plan = plan_of_file(written(tmp_path, text), launched=False)

    assert plan.entries == (Entry("x", "", "x", 1),)
    assert plan.settings == FormatSettings(best_of=3)
    with pytest.raises(BadPlan, match="enter more"):
        plan_of_file(tmp_path / "plan.toml")


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
    plan = Plan("cup", "art_robbery", 3, 1, 1, "", {}, entries_of(["random", "random"]))

    with pytest.raises(BadPlan, match="enter more"):
        plan.check_it_can_be_played()
