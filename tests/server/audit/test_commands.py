"""`cutpurse audit` and `cutpurse log`: exit codes, what they print, and what they say when something is missing."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutpurse_server.cli import app
from cutpurse_server.log.chain import first_link, links
from cutpurse_server.log.port import Append, StoredEvent, Version
from cutpurse_server.log.sqlite import SQLiteLog
from cutpurse_server.tournaments.events import TournamentCreated
from cutpurse_server.wire import tournament_events
from tests.server.audit.honest import Story, honest_tournament, match_at

MATCH = match_at(1, 1, 0)


@pytest.fixture(scope="module")
def story() -> Story:
    return honest_tournament(faults=0.2)


@pytest.fixture
def bundle(story: Story, tmp_path: Path) -> Path:
    path = tmp_path / "bundle"
    path.write_bytes(story.bundle())
    return path


@pytest.fixture
async def address(story: Story, tmp_path: Path) -> str:
    """A log that holds the story."""
    path = tmp_path / "log.sqlite"
    log = SQLiteLog(path)
    await log.open()
    tournament = [tournament_events.encode(each) for each in story.events]
    await log.flush([_append("tournament/cup", first_link("cup"), tournament)])
    for match, stored in story.stored.items():
        await log.flush([_append(f"match/{match}", b"h" * 32, stored)])
    await log.close()
    return f"sqlite:{path}"


def _append(stream: str, first: bytes, stored: list[StoredEvent]) -> Append:
    return Append(stream, Version(0), stored, links(first, stored), closed=True)


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(app, arguments)
    return result.exit_code, result.output


def test_a_consistent_bundle_ends_with_exit_code_0(bundle: Path) -> None:
    code, output = run("audit", str(bundle))

    assert code == 0
    assert "verdict: internally consistent" in output
    assert "honest" not in output


def test_the_manifest_hash_is_printed_to_be_compared_with_what_was_published(bundle: Path, story: Story) -> None:
    created = story.events[0]
    assert isinstance(created, TournamentCreated)
    due = sha256(created.manifest_bytes).hexdigest()

    _, output = run("audit", str(bundle))
    _, as_json = run("audit", str(bundle), "--json")

    assert f"manifest {due}" in output
    assert json.loads(as_json)["manifest_hash"] == due


def test_a_wrong_bundle_ends_with_exit_code_1_and_names_the_event(bundle: Path, story: Story) -> None:
    data = bytearray(bundle.read_bytes())
    data[data.find(story.stored[MATCH][6].public) + 3] ^= 1
    bundle.write_bytes(data)

    code, output = run("audit", str(bundle))

    assert code == 1
    assert f"match/{MATCH}, event 7: " in output
    assert "verdict: WRONG" in output


def test_a_file_that_is_not_there_ends_with_exit_code_2(tmp_path: Path) -> None:
    code, output = run("audit", str(tmp_path / "none"))

    assert code == 2
    assert "cannot be read: No such file" in output


def test_an_empty_file_is_no_bundle(tmp_path: Path) -> None:
    (tmp_path / "empty").write_bytes(b"")

    code, output = run("audit", str(tmp_path / "empty"))

    assert code == 1
    assert "does not begin with the line" in output


def test_the_verdict_as_json(bundle: Path) -> None:
    code, output = run("audit", str(bundle), "--json")

    verdict = json.loads(output)
    assert code == 0
    assert (verdict["consistent"], verdict["subject"], verdict["findings"]) == (True, "tournament/cup", [])
    assert verdict["checked"]["matches"] == 7


def test_a_match_is_told_from_a_bundle(bundle: Path) -> None:
    code, output = run("log", "show", MATCH, "--bundle", str(bundle))

    assert code == 0
    assert f"match {MATCH} begins: art_robbery" in output
    assert "decision 1 is open" in output
    assert "chooses: play" in output
    assert "the match is over (COMPLETED)" in output


def test_a_match_is_told_the_same_from_a_log(bundle: Path, address: str) -> None:
    assert run("log", "show", MATCH, "--log", address) == run("log", "show", MATCH, "--bundle", str(bundle))


def test_a_bundle_that_is_named_goes_before_a_log_of_the_environment(
    bundle: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = run("log", "show", MATCH, "--bundle", str(bundle))
    monkeypatch.setenv("CUTPURSE_LOG", "postgresql://nowhere.invalid/none")

    assert told[0] == 0
    assert run("log", "show", MATCH, "--bundle", str(bundle)) == told


@pytest.mark.parametrize("source", ["bundle", "log"])
def test_people_name_a_match_by_its_place(source: str, bundle: Path, address: str) -> None:
    where = ["--bundle", str(bundle)] if source == "bundle" else ["--log", address]

    told = run("log", "show", "cup.r1.t1.m0.a1", *where)
    nowhere, text = run("log", "show", "cup.r1.t9.m0.a1", *where)

    assert told == run("log", "show", MATCH, *where)
    assert "tournament cup: round 1, table 1, rotation 0, attempt 1" in told[1]
    assert nowhere == 2
    assert "holds no match 'cup.r1.t9.m0.a1'" in text


def test_a_seat_is_told_what_it_could_know(bundle: Path) -> None:
    told = {seat: run("log", "show", MATCH, "--bundle", str(bundle), "--seat", str(seat))[1] for seat in (0, 1)}

    for seat, output in told.items():
        assert f"(seat {seat}) chooses" in output
        assert f"(seat {1 - seat}) chooses" not in output
        assert f"(seat {1 - seat}) is refused" not in output
        assert "hand: [" in output


def test_a_match_as_json(bundle: Path) -> None:
    code, output = run("log", "show", MATCH, "--bundle", str(bundle), "--json")

    told = json.loads(output)
    assert code == 0
    assert told[0]["kind"] == "MatchBegun"
    assert told[-1]["kind"] == "MatchEnded"


def test_what_is_exported_is_found_right_and_the_same_every_time(address: str, bundle: Path, tmp_path: Path) -> None:
    code, _ = run("log", "export", "cup", "--log", address, "--out", str(tmp_path / "one"))
    again, _ = run("log", "export", "cup", "--log", address, "--out", str(tmp_path / "two"))

    assert (code, again) == (0, 0)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    assert run("audit", str(tmp_path / "one"))[0] == 0
    assert not list(tmp_path.glob("*.partial"))


def test_a_single_match_is_exported_and_its_place_is_said_to_be_unchecked(address: str, tmp_path: Path) -> None:
    out = tmp_path / "one"
    assert run("log", "export", MATCH, "--log", address, "--out", str(out))[0] == 0

    code, output = run("audit", str(out))

    assert code == 0
    assert "not checked in this version: 1 places in a tournament" in output


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["log", "show", MATCH], "say where the log is"),
        (["log", "show", MATCH, "--log", "sqlite:/nowhere/log"], "there is no log"),
        (["log", "show", MATCH, "--log", "memory:"], "there is no log"),
        (["log", "export", "cup"], "say where the log is"),
    ],
)
def test_bad_input_ends_with_exit_code_2_and_a_remedy(arguments: list[str], text: str) -> None:
    code, output = run(*arguments)

    assert code == 2
    assert text in output


def test_what_is_not_there_is_said_with_what_is(bundle: Path, address: str, tmp_path: Path) -> None:
    for arguments in (
        ["show", "none", "--bundle", str(bundle)],
        ["show", "none", "--log", address],
        ["export", "none", "--log", address, "--out", str(tmp_path / "out")],
        ["show", MATCH, "--bundle", str(bundle), "--seat", "2"],
    ):
        code, output = run("log", *arguments)
        assert code == 2
        assert "it holds cup" in output or "has seats 0 to 1" in output
    assert not (tmp_path / "out").exists()
