"""The kit itself: its order, its findings, what the ledger holds against a bot, and the command."""

import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutpurse.v1 import bot_pb2, match_pb2
from cutpurse.v1.errors_pb2 import ErrorReason
from cutpurse_rules import GAMES
from cutpurse_server.cli import app
from cutpurse_server.conformance import SCENARIOS, Check, Finding, Outcome, Scenario, Shortcoming, check, with_needs
from cutpurse_server.conformance.ledger import Ledger
from cutpurse_server.conformance.stage import QUICK, Stage
from cutpurse_server.servicers.bots import FRAME_BYTES_MAX, PROTOCOL_VERSION

ROOT = Path(__file__).parents[2]
FIRST_BOT = f"{sys.executable} {ROOT / 'bots/examples/python/bot.py'}"
RUNNER = CliRunner()
HELLO = bot_pb2.ConnectRequest(hello=bot_pb2.Hello(protocol_version=PROTOCOL_VERSION))


def command(*words: str) -> list[str]:
    return [sys.executable, "-m", "cutpurse_server", "bot", "check", *words]


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command(*words), cwd=ROOT, capture_output=True, text=True, check=False, timeout=100)


def choice(request_id: bytes, index: int = 0, decision: int = 1) -> bot_pb2.ConnectRequest:
    return bot_pb2.ConnectRequest(
        choices=[match_pb2.Choice(match="m", decision=decision, request_id=request_id, index=index)]
    )


def refusal(request_id: bytes, reason: ErrorReason.ValueType) -> bot_pb2.ConnectResponse:
    refused = match_pb2.ChoiceRefused(match="m", decision=1, request_id=request_id, reason=reason)
    return bot_pb2.ConnectResponse(refused=[refused])


def complaints(*said: bot_pb2.ConnectRequest | bot_pb2.ConnectResponse) -> list[str]:
    """What is held against a bot on one stream, after a good Hello."""
    ledger = Ledger()
    for frame in (HELLO, *said):
        if isinstance(frame, bot_pb2.ConnectRequest):
            ledger.said(1, frame, frame.ByteSize())
        else:
            ledger.heard(1, frame)
    return ledger.complaints


def test_scenarios_have_names_of_their_own_and_come_after_those_that_they_need() -> None:
    before: set[str] = set()
    for scenario in SCENARIOS:
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", scenario.name)
        assert scenario.name not in before
        assert set(scenario.needs) <= before
        before.add(scenario.name)


def test_every_scenario_says_what_it_is_about_in_sentences() -> None:
    for scenario in SCENARIOS:
        assert scenario.shows[0].islower(), scenario.name
        assert not scenario.shows.endswith("."), scenario.name
        for text in (scenario.why, scenario.remedy):
            assert text[0].isupper(), scenario.name
            assert text.endswith("."), scenario.name


def test_every_game_is_played_with_every_number_of_seats() -> None:
    from cutpurse_server.conformance.scenarios.games import _SEATS

    assert {name: (game.min_players, game.max_players) for name, game in GAMES.items()} == {
        name: (seats[0], seats[-1]) for name, seats in _SEATS.items()
    }
    assert set(QUICK) == set(GAMES)
    assert {scenario.game for scenario in SCENARIOS} >= set(GAMES)


def test_what_is_asked_for_comes_with_what_it_needs() -> None:
    names = [scenario.name for scenario in with_needs(["gets-ready"])]

    assert names == ["dials-in", "shows-its-token", "says-hello", "gets-ready"]


async def passes(stage: Stage) -> None:
    assert stage.front.address.startswith("127.0.0.1:")


async def fails(stage: Stage) -> None:
    raise Shortcoming("it did not")


def scenario(name: str, play: object, *needs: str, game: str = "") -> Scenario:
    return Scenario(name, "shows", "Why.", "Remedy.", play, needs, game)  # type: ignore[arg-type]


async def found(*scenarios: Scenario) -> list[Finding]:
    shown: list[Finding] = []
    findings = await check(Check(["true"], ("big_max",)), scenarios, shown.append)
    assert shown == findings
    return findings


async def test_what_needs_a_scenario_that_failed_is_not_run() -> None:
    a, b, c, d = await found(
        scenario("a", fails), scenario("b", passes, "a"), scenario("c", passes, "b"), scenario("d", passes)
    )

    assert [each.outcome for each in (a, b, c, d)] == [
        Outcome.FAILED,
        Outcome.NOT_RUN,
        Outcome.NOT_RUN,
        Outcome.PASSED,
    ]
    assert a.text == "it did not"
    assert b.text == "it needs a, which was failed"


async def test_a_game_that_was_not_asked_for_is_not_run() -> None:
    (finding,) = await found(scenario("a", fails, game="art_robbery"))

    assert finding.outcome is Outcome.NOT_RUN


async def test_a_bot_that_ends_early_is_told_with_what_it_printed() -> None:
    asked = Check([sys.executable, "-c", "print('no luck'); raise SystemExit(7)"], ("big_max",))
    (finding,) = await check(asked, [SCENARIOS[0]], lambda _: None)

    assert finding.outcome is Outcome.FAILED
    assert "exit code 7" in finding.text
    assert finding.output == "no luck"


@pytest.mark.parametrize(
    "said",
    [
        (choice(b"1"), choice(b"1")),
        (choice(b"1"), choice(b"2", decision=2)),
        (choice(b"1"), refusal(b"1", ErrorReason.ERROR_REASON_CHOICE_ILLEGAL), choice(b"2", 5)),
        (choice(b"1"), refusal(b"1", ErrorReason.ERROR_REASON_LOG_UNAVAILABLE), choice(b"1")),
    ],
)
def test_nothing_is_held_against_a_bot_that_keeps_to_one_answer(
    said: Sequence[bot_pb2.ConnectRequest | bot_pb2.ConnectResponse],
) -> None:
    assert complaints(*said) == []


@pytest.mark.parametrize(
    ("said", "complaint"),
    [
        ((choice(b"1"), choice(b"2")), "2 different request_ids"),
        ((choice(b"1"), choice(b"1", 3)), "one request_id and different answers"),
        (
            (choice(b"1"), refusal(b"1", ErrorReason.ERROR_REASON_LOG_UNAVAILABLE), choice(b"2")),
            "2 different request_ids",
        ),
        (
            (choice(b"1"), *[refusal(b"1", ErrorReason.ERROR_REASON_CHOICE_ILLEGAL)] * 2, choice(b"2"), choice(b"3")),
            "3 different request_ids",
        ),
        ((choice(b""),), "request_id of 0 bytes"),
        ((choice(b"x" * 65),), "request_id of 65 bytes"),
        ((HELLO,), "Hello again"),
        ((bot_pb2.ConnectRequest(readies=[bot_pb2.Ready(match="m")] * 257),), "more than 256"),
        ((bot_pb2.ConnectRequest(readies=[bot_pb2.Ready(match="m" * FRAME_BYTES_MAX)]),), "sent a frame of"),
    ],
)
def test_what_no_bot_may_do_is_held_against_it(
    said: Sequence[bot_pb2.ConnectRequest | bot_pb2.ConnectResponse], complaint: str
) -> None:
    (text,) = complaints(*said)

    assert complaint in text


def test_a_stream_that_begins_with_anything_but_hello_is_held_against_a_bot() -> None:
    ledger = Ledger()
    ledger.said(1, choice(b"1"), 10)

    assert "did not say Hello first" in ledger.complaints[0]


def test_the_list_names_every_scenario_in_order() -> None:
    listed = RUNNER.invoke(app, ["bot", "check", "--list"])

    assert listed.exit_code == 0
    assert [line.split()[0] for line in listed.stdout.splitlines()] == [scenario.name for scenario in SCENARIOS]


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "COMMAND"),
        (("no-such-program",), "no-such-program"),
        ((FIRST_BOT, "--only", "no-such-scenario"), "no-such-scenario"),
        ((FIRST_BOT, "--game", "chess"), "chess"),
    ],
)
def test_bad_input_ends_with_2(words: Sequence[str], complaint: str) -> None:
    ran = RUNNER.invoke(app, ["bot", "check", *words])

    assert ran.exit_code == 2
    assert complaint in ran.output


def test_a_bot_that_passes_is_told_so() -> None:
    ran = run(FIRST_BOT, "--only", "plays-a-match")

    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "5 scenarios" in ran.stdout
    assert "5 passed" in ran.stdout
    assert ran.stdout.count("  passed  ") == 5


def test_a_bot_that_fails_is_told_what_why_and_how_to_mend_it() -> None:
    ran = run("true", "--only", "shows-its-token")

    assert ran.returncode == 1
    assert "failed  dials-in" in ran.stdout
    assert "what: it ended with exit code 0 while it had not dialled" in ran.stdout
    assert "why: " in ran.stdout
    assert "remedy: Read CUTPURSE_ADDRESS" in ran.stdout
    assert "not run  shows-its-token" in ran.stdout


def test_the_report_for_machines_says_the_same() -> None:
    ran = run("true", "--only", "shows-its-token", "--json")

    report = json.loads(ran.stdout)
    assert ran.returncode == 1
    assert report["command"] == ["true"]
    assert report["counts"] == {"passed": 0, "failed": 1, "not run": 1}
    first, second = report["scenarios"]
    assert (first["name"], first["outcome"], second["outcome"]) == ("dials-in", "failed", "not run")
    assert {"text", "why", "remedy", "shows", "seconds", "needs", "output"} <= set(first)


def is_gone(group: int) -> bool:
    """Whether a group of processes comes to its end; what was killed has to be waited for by the system first."""
    until_s = time.monotonic() + 20
    while time.monotonic() < until_s:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interruption_leaves_no_process(number: int, tmp_path: Path) -> None:
    mark = tmp_path / "began"
    program = f"sh -c 'echo $$ > {mark}; trap \"\" INT TERM; sleep 300 & wait; sleep 300'"
    running = subprocess.Popen(command(program), cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until_s = time.monotonic() + 60
    while not (mark.exists() and mark.read_text().strip()):
        assert time.monotonic() < until_s
        time.sleep(0.02)
    group = int(mark.read_text())

    running.send_signal(number)
    _, errors = running.communicate(timeout=30)

    assert running.returncode == 130
    assert "interrupted" in errors
    assert is_gone(group)


def test_scenarios_are_values() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        SCENARIOS[0].name = "other"  # type: ignore[misc]


def test_the_document_lists_every_scenario() -> None:
    text = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")

    listed = re.findall(r"^\| `([a-z-]+)` \| (.+) \|$", text.partition("| scenario |")[2], re.MULTILINE)

    assert listed == [(scenario.name, scenario.shows) for scenario in SCENARIOS]
