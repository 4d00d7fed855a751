"""The organiser's commands against a running service, one after the other, as a person would type them."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from cutpurse_server.arena.running import ADDRESS, BUNDLE, ORGANISER_TOKEN
from cutpurse_server.cli import app
from cutpurse_server.identity import Role
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.serve import Service, running_service
from cutpurse_server.tournaments.events import Standing

Type = Callable[..., Any]


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[tuple[Service, Type]]:
    """A service, and a function that types a command at it and returns what it printed."""
    async with running_service(MemoryLog(), ["127.0.0.1:0"]) as service:
        token, _ = await service.registry.issue_token(Role.ORGANISER)
        (tmp_path / ADDRESS).write_text(service.addresses[0] + "\n")
        (tmp_path / ORGANISER_TOKEN).write_text(token + "\n")

        async def typed(*arguments: str, code: int = 0) -> str:
            result = await asyncio.to_thread(CliRunner().invoke, app, [*arguments, "--out", str(tmp_path)])
            assert result.exit_code == code, result.output
            return result.output

        yield service, typed


async def test_an_event_is_organised_by_commands_alone(there: tuple[Service, Type]) -> None:
    _, typed = there
    await typed("tournament", "create", "cup", "--game", "art_robbery", "--format", "swiss", "--rounds", "2")
    for bot in ("ann", "ben", "cat", "dan"):
        await typed("tournament", "enter", "cup", bot)
    await typed("tournament", "withdraw", "cup", "dan", "--reason", "ill")
    await typed("tournament", "start", "cup")
    await typed("tournament", "pause", "cup", "--reason", "lunch")
    await typed("tournament", "enter", "cup", "eve")
    await typed("tournament", "disqualify", "cup", "ben", "--reason", "two of a kind")
    await typed("tournament", "resume", "cup")
    await typed("tournament", "finish", "cup", "--reason", "the hall closes")

    watched = await typed("tournament", "watch", "cup")

    for told in (
        "paused: lunch",
        "eve was entered late",
        "ben was disqualified: two of a kind",
        "it goes on",
        "the organiser has ended it: the hall closes",
    ):
        assert told in watched
    rows = json.loads(await typed("tournament", "standings", "cup", "--json"))
    assert {row["bot"]: row["left"] for row in rows} == {"ann": None, "cat": None, "eve": None, "ben": "disqualified"}
    # As in the files that a local run leaves behind.
    assert [tuple(row) for row in rows] == [Standing._fields] * 4
    assert rows[-1]["points_by_seat"] == [None, None]
    assert [row["bot"] for row in rows][-1] == "ben"
    assert "dan" not in {row["bot"] for row in rows}


async def test_a_block_is_voided_by_its_place(there: tuple[Service, Type]) -> None:
    service, typed = there
    await typed("tournament", "create", "cup", "--game", "art_robbery")
    for bot in ("ann", "ben"):
        await typed("tournament", "enter", "cup", bot)
    await typed("tournament", "start", "cup")

    await typed("tournament", "void", "cup", "--round", "1", "--table", "1", "--reason", "wrong bots")
    refused = await typed("tournament", "void", "cup", "--round", "3", "--table", "1", "--reason", "x", code=2)
    nowhere = await typed("tournament", "void", "cup", "--round", "1", "--reason", "x", code=2)

    assert "There is no table 1 in round 3" in refused
    assert "name the block: --round R --table T" in nowhere
    told = (await service.tournaments.get("cup")).told
    assert [type(each).__name__ for each in told] == ["BlockVoided"]


async def test_before_the_start_it_is_said_where_the_entrants_are(there: tuple[Service, Type]) -> None:
    _, typed = there
    await typed("tournament", "create", "cup", "--game", "art_robbery")
    await typed("tournament", "enter", "cup", "ann")

    assert "`cutpurse tournament show cup` lists its entrants" in await typed("tournament", "standings", "cup")
    assert json.loads(await typed("tournament", "standings", "cup", "--json")) == []
    assert "`cutpurse tournament list` names them" in await typed("tournament", "standings", "cap", code=2)


async def test_without_a_number_a_table_has_the_fewest_seats_that_the_game_takes(there: tuple[Service, Type]) -> None:
    service, typed = there

    await typed("tournament", "create", "cup", "--game", "big_max")

    assert (await service.tournaments.get("cup")).manifest.players == 3


async def test_tokens_are_listed_rotated_and_revoked(there: tuple[Service, Type]) -> None:
    service, typed = there
    await typed("identity", "register", "ann", "--owner", "zoe")
    first = json.loads(await typed("identity", "token", "--bot", "ann", "--json"))

    second = json.loads(await typed("identity", "rotate", "ann", "--json"))

    assert await service.registry.authenticate(first["token"]) is None
    caller = await service.registry.authenticate(second["token"])
    assert caller is not None
    assert (caller.bot, caller.owner) == ("ann", "zoe")
    listed = await typed("identity", "tokens", "--bot", "ann")
    assert listed.split()[:3] == [second["token_id"], "bot", "ann"]
    assert second["token"] not in listed
    await typed("identity", "revoke", second["token_id"])
    assert await typed("identity", "tokens", "--bot", "ann") == ""
    assert "ann  zoe" in await typed("identity", "bots")


async def test_a_token_alone_goes_where_output_is_sent(tmp_path: Path) -> None:
    async with running_service(MemoryLog(), ["127.0.0.1:0"]) as service:
        organisers, _ = await service.registry.issue_token(Role.ORGANISER)
        there = ["--address", service.addresses[0], "--token", organisers]
        await asyncio.to_thread(CliRunner().invoke, app, ["tournament", "create", "cup", "--game", "big_max", *there])
        for command in (["tournament", "enter", "cup", "ann"], ["identity", "token", "--bot", "ann"]):
            result = await asyncio.to_thread(CliRunner().invoke, app, [*command, *there])

            caller = await service.registry.authenticate(result.stdout.strip())
            assert caller is not None
            assert caller.bot == "ann"
            assert "shown this once" in result.stderr


async def test_a_bot_is_nobody_elses(there: tuple[Service, Type]) -> None:
    _, typed = there
    await typed("identity", "register", "ann", "--owner", "zoe")

    assert "ann belongs to zoe" in await typed("identity", "register", "ann", "--owner", "max", code=2)


async def test_a_file_describes_an_event_elsewhere(there: tuple[Service, Type], tmp_path: Path) -> None:
    service, typed = there
    file = tmp_path / "cup.toml"
    file.write_text(
        'name = "spring"\ngame = "big_max"\nplayers = 3\nformat = "single-elimination"\n'
        "[settings]\nbest_of = 3\n"
        '[[bots]]\nname = "ann"\nowner = "zoe"\nrank = 1\n[[bots]]\nname = "ben"\n'
    )

    said = await typed("tournament", "create", "--file", str(file), "--tokens", str(tmp_path / "tokens"))

    assert "spring is open; begin with `cutpurse tournament start spring`" in said
    assert (await typed("tournament", "show", "spring", "--json")).split('"')[3] in said
    overview = await service.tournaments.get("spring")
    assert overview.manifest.settings.best_of == 3
    assert [tuple(each) for each in overview.entrants] == [("ann", "zoe", 1), ("ben", "ben", 0)]
    token = (tmp_path / "tokens" / "ann.token").read_text().strip()
    caller = await service.registry.authenticate(token)
    assert caller is not None
    assert caller.bot == "ann"


async def test_a_folder_in_which_nothing_runs_says_so(tmp_path: Path) -> None:
    result = CliRunner().invoke(app, ["tournament", "pause", "cup", "--out", str(tmp_path)])

    assert result.exit_code == 2
    assert "no tournament runs in" in result.output


async def test_a_folder_whose_tournament_is_over_says_where_the_rest_is(tmp_path: Path) -> None:
    (tmp_path / BUNDLE).touch()

    result = CliRunner().invoke(app, ["tournament", "faults", "cup", "ann", "--out", str(tmp_path)])

    assert result.exit_code == 2
    said = result.output.replace("\n", "")
    assert "is over" in said
    assert f"{tmp_path}/bots/BOT.json" in said
    assert f"explain BOT --bundle {tmp_path}/bundle" in said


def test_the_help_begins_with_what_a_newcomer_begins_with() -> None:
    listed = CliRunner().invoke(app, ["tournament", "--help"]).output

    assert listed.index(" run ") < listed.index(" init ") < listed.index(" create ") < listed.index(" explain ")


def test_init_writes_a_file_once(tmp_path: Path) -> None:
    file = str(tmp_path / "mine.toml")

    written, again = (CliRunner().invoke(app, ["tournament", "init", file]) for _ in range(2))

    assert written.exit_code == 0
    assert "cutpurse tournament run" in written.output
    assert again.exit_code == 2
    assert "name another file" in again.output
