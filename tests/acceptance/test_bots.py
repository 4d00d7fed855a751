"""Bots of every kind at one table: from the protocol alone, with the SDK, of the house, and out to do harm."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from cutpurse_rules import GAMES
from cutpurse_server.matches.events import Cause
from tests.acceptance import hostile_bot
from tests.acceptance.logs import read_matches
from tests.acceptance.processes import Marked, cutpurse, house_bots, program, until
from tests.repository.tree import ROOT

EXAMPLES = ROOT / "bots" / "examples"
HONEST = ("greedy", "random")


@pytest.fixture
def marked() -> Iterator[Marked]:
    """Processes of which none is left behind, whatever becomes of the test."""
    processes = Marked()
    yield processes
    processes.kill_all()


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_from_the_protocol_alone_and_one_of_ten_lines_play_any_game(
    game: str, marked: Marked, tmp_path: Path
) -> None:
    proto_only = f"proto-only={program(EXAMPLES / 'python_proto_only' / 'bot.py')}"
    ten_lines = f"ten-lines={program(EXAMPLES / 'python' / 'bot.py')}"
    trace = tmp_path / "trace.jsonl"
    bots = house_bots(proto_only, ten_lines, "greedy")
    words = ("match", game, *bots, "--seed", "7", "--trace", trace, "--json")

    ran = marked.run(cutpurse(*words))

    assert ran.returncode == 0, ran.stderr
    lines = [json.loads(line) for line in trace.read_text().splitlines()]
    causes = {cause for line in lines if line["type"] == "choices" for cause in line["cause"].values()}
    assert "CHOSEN" in causes <= {"CHOSEN", "FORCED"}
    assert lines[-1]["reason"] in ("COMPLETED", "WON")
    assert not marked.alive()


@pytest.mark.slow
async def test_a_bot_of_ten_lines_plays_a_tournament_with_house_bots(marked: Marked, tmp_path: Path) -> None:
    bots = house_bots(f"mine={program(EXAMPLES / 'python' / 'bot.py')}", "greedy", "friend=first")
    words = ("tournament", "run", "--game", "art_robbery", *bots, "--rounds", "2", "--out", tmp_path / "cup", "--json")

    ran = marked.run(cutpurse(*words))

    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout.splitlines()[-1])
    assert {row["bot"] for row in told["standings"]} == {"mine", "greedy", "friend"}
    for log in (await read_matches(tmp_path / "cup" / "log.sqlite")).values():
        assert not any(log.faults_of(bot) for bot in ("mine", "greedy", "friend"))


# Which causes a kind of hostile bot must have brought upon itself: all of a set, or some of it.
AT_A_LOSS = {Cause.CRASHED, Cause.DISCONNECTED, Cause.TIMEOUT}
OUTCOMES: dict[str, set[Cause]] = {
    "silent": {Cause.TIMEOUT},
    "never_ready": {Cause.TIMEOUT},
    "slow": {Cause.TIMEOUT},
    "illegal": {Cause.ILLEGAL},
    "malformed": {Cause.MALFORMED},
    "disconnecting": {Cause.DISCONNECTED},
    # Whether such a bot is there again when its time is over is a matter of chance.
    "crashing": AT_A_LOSS,
    "garbage": AT_A_LOSS,
    "wrong_version": {Cause.CRASHED},
    "stillborn": {Cause.CRASHED},
    # It may crowd out its own answers, and nobody else's.
    "flooding": {Cause.TIMEOUT},
    "chatty": set(),
    "many_streams": set(),
}
BLAMELESS = {"flooding", "chatty", "many_streams"}
PRINTED_BYTES_MAX = 9 * 1024 * 1024


@pytest.mark.slow
@pytest.mark.parametrize(
    "kinds",
    [
        ("silent", "illegal", "crashing", "never_ready", "chatty"),
        ("slow", "malformed", "flooding", "wrong_version"),
        ("garbage", "disconnecting", "many_streams", "stillborn"),
    ],
    ids=lambda kinds: "-".join(kinds),
)
async def test_hostile_bots_harm_themselves_only(marked: Marked, tmp_path: Path, kinds: Sequence[str]) -> None:
    hostile = [f"{kind}={program(hostile_bot.__file__, kind)}" for kind in kinds if kind != "stillborn"]
    hostile += [f"{kind}={program('-c', 'raise SystemExit(7)')}" for kind in kinds if kind == "stillborn"]
    # Two seats at a table, so that every bot meets every other one, and everything at once.
    clock = ["decision_ms=2000", "bank_ms=0", "warm_up_ms=8000", "strikes_max=2"]
    words = ["tournament", "run", "--game", "art_robbery", *house_bots(*HONEST, *hostile), "--players", "2"]
    words += ["--option", "heist_turn_limit=6", "--concurrency", "64", "--out", str(tmp_path / "cup"), "--json"]

    ran = marked.run(cutpurse(*words, *(word for setting in clock for word in ("--clock", setting))))

    assert ran.returncode == 0, ran.stderr
    until(lambda: not marked.alive(), "all bots end", 5)
    logs = await read_matches(tmp_path / "cup" / "log.sqlite")
    bots = {*HONEST, *kinds}
    assert len(logs) == len(bots) * (len(bots) - 1)
    for name, log in logs.items():
        assert log.record.outcome is not None, name
        for bot in set(HONEST) & log.record.seat_of.keys():
            assert not log.faults_of(bot), (name, bot, log.faults_of(bot))
    for kind in kinds:
        faults = [fault for log in logs.values() if kind in log.record.seat_of for fault in log.faults_of(kind)]
        causes = {fault.cause for fault in faults} - {Cause.FORFEITED}
        assert causes <= OUTCOMES[kind], (kind, causes)
        assert causes or kind in BLAMELESS, kind
        print(kind, sorted(cause.name for cause in causes), len(faults))
        assert (tmp_path / "cup" / "bots" / f"{kind}.log").stat().st_size < PRINTED_BYTES_MAX
    for row in json.loads(ran.stdout.splitlines()[-1])["standings"]:
        if row["bot"] in kinds and row["bot"] not in BLAMELESS:
            assert row["forfeits"] == row["matches"], row


def test_every_kind_of_hostile_bot_has_its_defined_outcome() -> None:
    assert OUTCOMES.keys() == hostile_bot.KINDS.keys() | {"stillborn"}
