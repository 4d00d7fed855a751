"""`cutpurse games` and `cutpurse match`: what they print and write, and what they say about bad input."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer
from typer.testing import CliRunner, Result

from cutpurse.v1 import match_pb2
from cutpurse_rules import GAMES
from cutpurse_server.cli import house_bots
from cutpurse_server.cli.games import games
from cutpurse_server.cli.match import match
from tests.rules.oracle.art_robbery_oracle import check

APP = typer.Typer()
APP.command()(games)
APP.command()(match)


def first(decision: match_pb2.Decision, key: bytes) -> str:
    return decision.legal[0]


def by_lot(decision: match_pb2.Decision, key: bytes) -> str:
    return decision.legal[(key[decision.decision % len(key)] + decision.decision) % len(decision.legal)]


def seeing(decision: match_pb2.Decision, key: bytes) -> str:
    """Fails unless it gets what the service would send."""
    view = decision.view.art_robbery
    assert view.seat == decision.seat
    assert len(view.hand) == 5
    assert decision.seat in view.table.asked
    assert decision.decision >= 1
    assert len(key) == 32
    return decision.legal[-1]


def interrupting(decision: match_pb2.Decision, key: bytes) -> str:
    raise KeyboardInterrupt


def raising(decision: match_pb2.Decision, key: bytes) -> str:
    raise ValueError("no idea")


def mumbling(decision: match_pb2.Decision, key: bytes) -> str:
    return "play it safe"


def cheating(decision: match_pb2.Decision, key: bytes) -> str:
    return "give dog"


def counting(decision: match_pb2.Decision, key: bytes) -> int:
    return 0


BOTS: list[Callable[..., object]] = [first, by_lot, seeing, interrupting, raising, mumbling, cheating, counting]


@pytest.fixture(autouse=True)
def installed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def entry_points(group: str) -> list[SimpleNamespace]:
        assert group == "cutpurse.bots"
        return [SimpleNamespace(name=bot.__name__, load=lambda bot=bot: bot) for bot in BOTS]

    monkeypatch.setattr(house_bots, "entry_points", entry_points)
    monkeypatch.chdir(tmp_path)


def run(*arguments: str) -> Result:
    # A wide terminal, so that no message is broken over lines.
    return CliRunner().invoke(APP, list(arguments), env={"COLUMNS": "300", "TERMINAL_WIDTH": "300"})


def played(*arguments: str) -> Result:
    result = run("match", "art_robbery", "--bot", "by_lot", "--bot", "by_lot", "--bot", "me=first", *arguments)
    assert result.exit_code == 0, result.output
    return result


def test_games_lists_every_game() -> None:
    result = run("games")

    assert result.exit_code == 0
    assert all(name in result.output for name in GAMES)


def test_games_describes_one_game() -> None:
    result = run("games", "art_robbery")

    assert result.exit_code == 0
    assert "2 to 5 players" in result.output
    assert "cards: N0 N1 N2 N3 N4 N5 GD GT BS" in result.output
    assert "default 60 for each player; from 1 to 1000000" in result.output


def test_games_as_json() -> None:
    listed = json.loads(run("games", "--json").output)
    one = json.loads(run("games", "art_robbery", "--json").output)

    assert [game["game"] for game in listed] == list(GAMES)
    assert one in listed
    assert one["components"]["tiles"] == ["0.3", "0.2", "1.1", "2.1", "3.0", "4.0", "5.0", "BOSS"]
    assert [option["name"] for option in one["options"]] == ["auto_play_forced", "heist_turn_limit", "deck", "tiles"]


@pytest.mark.parametrize(
    ("language", "texts"),
    [
        (
            "en",
            ["Art Robbery (art_robbery), 2 to", "cards (Cards):", "  GT  Greedy Thief", "  BOSS  Boss tile"],
        ),
        ("de", ["cards (Karten):", "  N0  Zahl 0", "  GD  Wachhund", "  0.3   Beute 0 (3 Alibis)"]),
        ("vi", ["cards (Lá bài):", "  N0  Số 0", "  GD  Chó canh", "  GT  Kẻ trộm tham lam"]),
    ],
)
def test_games_names_components_in_a_language(language: str, texts: list[str]) -> None:
    result = run("games", "art_robbery", "--language", language)

    assert result.exit_code == 0
    assert [text for text in texts if text not in result.output] == []


def test_games_lists_the_games_in_a_language_and_json_has_all_of_them() -> None:
    listed = run("games", "--language", "de")
    names = json.loads(run("games", "art_robbery", "--json").output)["names"]

    assert all(game.names["de"].game in listed.output for game in GAMES.values())
    assert list(names) == ["de", "en", "vi"]
    assert names["vi"]["components"]["cards"][7] == "Kẻ trộm tham lam"


def test_a_language_without_names_is_refused_with_those_that_there_are() -> None:
    result = run("games", "art_robbery", "--language", "fr")

    assert result.exit_code == 2
    assert "there are no names in 'fr'; there are: en, de, vi" in result.output


def test_an_unknown_game_is_refused_with_those_that_there_are() -> None:
    for command in (["games", "poker"], ["match", "poker", "--bot", "first"]):
        result = run(*command)
        assert result.exit_code == 2
        assert "there is no game 'poker'; there are: art_robbery" in result.output


def test_a_match_tells_what_happens_and_ends_with_the_result() -> None:
    output = played("--seed", "7").output

    assert output.startswith("Art Robbery, 3 players, seed 7\n")
    assert "seat 0 by_lot plays" in output
    assert "seat 1 by_lot-2 plays" in output
    assert "seat 2 me plays" in output
    assert "the game is over" in output
    assert "Result: COMPLETED" in output


def test_the_same_seed_gives_the_same_trace_and_the_oracle_accepts_it() -> None:
    for name in ("a.jsonl", "b.jsonl"):
        played("--seed", "7", "--trace", name)

    text = Path("a.jsonl").read_text("utf-8")
    assert Path("b.jsonl").read_text("utf-8") == text
    assert json.loads(text.splitlines()[0])["bots"] == ["by_lot", "by_lot-2", "me"]
    check(text.splitlines())


def test_without_a_seed_one_is_drawn_and_printed() -> None:
    seed = json.loads(played("--json", "--trace", "a.jsonl").output)["seed"]
    played("--seed", seed, "--trace", "b.jsonl")

    assert Path("a.jsonl").read_bytes() == Path("b.jsonl").read_bytes()
    assert json.loads(played("--json").output)["seed"] != seed


def test_json_is_the_result_alone() -> None:
    result = json.loads(played("--seed", "7", "--json", "--option", "heist_turn_limit=10").output)

    assert result["bots"] == ["by_lot", "by_lot-2", "me"]
    assert result["options"] == {"auto_play_forced": True, "heist_turn_limit": 10}
    assert sorted(result) == ["bots", "game", "options", "placements", "players", "reason", "scores", "seed"]


def test_bots_get_what_the_service_would_send() -> None:
    result = run("match", "art_robbery", "--bot", "seeing", "--bot", "seeing", "--seed", "7")

    assert result.exit_code == 0, result.output


def test_options_are_json() -> None:
    deck = '{"N0":6,"GT":10,"BS":3}'
    played("--seed", "7", "--option", f"deck={deck}", "--option", "auto_play_forced=false", "--trace", "a.jsonl")

    options = json.loads(Path("a.jsonl").read_text("utf-8").splitlines()[0])["options"]
    assert options["deck"] == {"N0": 6, "N1": 0, "N2": 0, "N3": 0, "N4": 0, "N5": 0, "GD": 0, "GT": 10, "BS": 3}
    assert options["auto_play_forced"] is False


def test_a_trace_is_a_chance_file_and_with_its_seed_replays_the_match() -> None:
    played("--seed", "7", "--trace", "a.jsonl")
    played("--seed", "7", "--chance", "a.jsonl", "--trace", "b.jsonl")

    assert Path("a.jsonl").read_bytes() == Path("b.jsonl").read_bytes()


def test_a_chance_file_alone_fixes_the_match_too() -> None:
    cards = ["N0", "GT"] * 30
    Path("chance.jsonl").write_text(json.dumps({"type": "draw", "label": "deck", "kind": "shuffle", "outcome": cards}))
    deck = ["--option", 'deck={"N0":30,"GT":30}', "--option", "heist_turn_limit=2", "--chance", "chance.jsonl"]
    for name in ("a.jsonl", "b.jsonl"):
        played(*deck, "--trace", name)

    text = Path("a.jsonl").read_text("utf-8")
    assert Path("b.jsonl").read_text("utf-8") == text
    assert json.loads(text.splitlines()[0])["seed"] is None
    assert json.loads(text.splitlines()[1])["outcome"] == cards


def test_some_draws_may_be_scripted_and_the_rest_come_from_the_seed() -> None:
    played("--seed", "8", "--trace", "a.jsonl")
    deck = next(line for line in Path("a.jsonl").read_text("utf-8").splitlines() if '"deck"' in line)
    Path("chance.jsonl").write_text(deck)

    played("--seed", "7", "--chance", "chance.jsonl", "--trace", "b.jsonl")

    lines = Path("b.jsonl").read_text("utf-8").splitlines()
    assert lines[1] == deck
    assert json.loads(lines[0])["seed"] == "7"


def test_scripted_draws_that_never_came_are_noted() -> None:
    line = {"type": "draw", "label": "reshuffle/99", "kind": "shuffle", "outcome": ["N0"]}
    Path("chance.jsonl").write_text(json.dumps(line))

    assert "never came to the scripted draws reshuffle/99" in played("--seed", "7", "--chance", "chance.jsonl").output


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("not JSON", "chance.jsonl, line 1: is not JSON"),
        ('{"type":"draw","label":"deck","kind":"pick","outcome":["N0"]}', "line 1: must give 'deck' an outcome"),
        ('{"type":"draw","label":"deck","kind":"shuffle","outcome":["N0"]}', "draw deck: the script's outcome is not"),
        ("", "draw deck: the script has no such draw; add it, or give a seed"),
    ],
)
def test_a_bad_chance_file_is_refused_with_its_remedy(content: str, text: str) -> None:
    Path("chance.jsonl").write_text(content)

    result = run("match", "art_robbery", "--bot", "first", "--bot", "first", "--chance", "chance.jsonl")

    assert result.exit_code == 2
    assert text in result.output


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--bot", "first"], "players: art_robbery is for 2 to 5 players, not 1; give --bot once for each seat"),
        (["--bot", "first"] * 6, "for 2 to 5 players, not 6"),
        (["--bot", "first", "--bot", "none"], "there is no house bot 'none'; installed are: by_lot,"),
        (["--bot", "first"] * 2 + ["--option", "deck"], "'deck' is not NAME=VALUE"),
        (["--bot", "first"] * 2 + ["--option", "deck={"], "the value of deck is not JSON: '{'"),
        (["--bot", "first"] * 2 + ["--option", "deck=3"], "deck: must give counts by notation"),
        (["--bot", "first"] * 2 + ["--option", "a=1", "--option", "a=2"], "a is given twice"),
        (["--bot", "first"] * 2 + ["--option", "turns=1"], "turns: art_robbery has no such option"),
        (["--bot", "first"] * 2 + ["--chance", "missing"], "cannot read missing: No such file or directory"),
        (["--bot", "first"] * 2 + ["--trace", "no/folder"], "No such file or directory"),
        (["--bot", "first"] * 2 + ["--seed", "\udcff"], "is not UTF-8"),
        ([], "--bot"),
    ],
)
def test_bad_input_ends_with_exit_code_2_and_says_what_to_do(arguments: list[str], text: str) -> None:
    result = run("match", "art_robbery", *arguments)

    assert result.exit_code == 2
    assert text in result.output
    assert "Traceback" not in result.output


def test_a_chance_file_that_is_not_utf_8_is_refused() -> None:
    Path("chance.jsonl").write_bytes(b"\xff\n")

    result = run("match", "art_robbery", "--bot", "first", "--bot", "first", "--chance", "chance.jsonl")

    assert result.exit_code == 2
    assert "chance.jsonl is not UTF-8" in result.output


@pytest.mark.parametrize(
    ("bot", "text"),
    [
        ("raising", "bot raising (seat 1, its decision 1) raised ValueError: no idea"),
        ("mumbling", "gave a malformed answer: 'play it safe' is no action"),
        ("cheating", "answered 'give dog', which is not legal there"),
        ("counting", "answered with int, not with a notation"),
    ],
)
def test_a_bot_that_fails_is_named_and_leaves_the_earlier_trace(bot: str, text: str) -> None:
    Path("a.jsonl").write_text("earlier")

    result = run("match", "art_robbery", "--bot", "first", "--bot", bot, "--trace", "a.jsonl")

    assert result.exit_code == 1
    assert text in result.output
    assert os.listdir() == ["a.jsonl"]
    assert Path("a.jsonl").read_text() == "earlier"


def test_ctrl_c_leaves_no_half_trace() -> None:
    result = run("match", "art_robbery", "--bot", "first", "--bot", "interrupting", "--trace", "a.jsonl")

    assert result.exit_code == 130
    assert "interrupted; no trace was written" in result.output
    assert os.listdir() == []


def test_a_full_disk_leaves_no_half_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("a.jsonl").write_text("earlier")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = run("match", "art_robbery", "--bot", "first", "--bot", "first", "--trace", "a.jsonl")

    assert result.exit_code == 1
    assert "cannot write the trace a.jsonl: No space left on device" in result.output
    assert os.listdir() == ["a.jsonl"]
    assert Path("a.jsonl").read_text() == "earlier"


def test_a_full_device_is_reported() -> None:
    result = run("match", "art_robbery", "--bot", "first", "--bot", "first", "--trace", "/dev/full")

    assert result.exit_code == 1
    assert "No space left on device" in result.output
    assert Path("/dev/full").is_char_device()


def test_a_trace_goes_where_a_link_leads_and_a_device_stays_one() -> None:
    Path("folder").mkdir()
    Path("link.jsonl").symlink_to("folder/a.jsonl")

    played("--seed", "7", "--trace", "link.jsonl")
    played("--seed", "7", "--trace", "/dev/null")

    assert Path("link.jsonl").is_symlink()
    assert Path("folder/a.jsonl").is_file()
    assert Path("/dev/null").is_char_device()


def test_the_installed_house_bots_play(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()

    result = run(
        "match", "art_robbery", "--bot", "greedy", "--bot", "random", "--bot", "first", "--seed", "7", "--json"
    )

    assert result.exit_code == 0, result.output
    assert json.loads(result.output)["bots"] == ["greedy", "random", "first"]
