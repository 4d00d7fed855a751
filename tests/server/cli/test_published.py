"""What an organiser publishes of a tournament, taken from the running service: manifest, entrants, and the bundle."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from cutpurse_server import servicers
from cutpurse_server.cli import app
from cutpurse_server.identity import Role
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.serve import running_service

Run = Callable[..., Awaitable[tuple[int, str]]]


@asynccontextmanager
async def cup() -> AsyncIterator[Run]:
    """Commands of `cutpurse tournament` at a service whose tournament `cup` is open, with two entrants."""
    async with running_service(MemoryLog(), ["127.0.0.1:0"]) as service:
        token, _ = await service.registry.issue_token(Role.ORGANISER)

        async def run(*arguments: str) -> tuple[int, str]:
            there = ("--address", service.addresses[0], "--token", token)
            result = await asyncio.to_thread(CliRunner().invoke, app, ["tournament", *arguments, *there])
            return result.exit_code, result.output

        await run("create", "cup", "--game", "art_robbery", "--players", "2", "--rounds", "2")
        for bot in ("fox", "owl"):
            await run("enter", "cup", bot, "--owner", f"owner-of-{bot}")
        yield run


async def test_what_is_shown_before_the_start_can_be_compared_with_the_bundle(tmp_path: Path) -> None:
    bundle = tmp_path / "cup.bundle"
    async with cup() as run:
        shown = await run("show", "cup")
        as_json = await run("show", "cup", "--json")
        await run("start", "cup")
        await run("finish", "cup", "--reason", "rain")
        exported = await run("export", "cup", str(bundle))

    assert shown[0] == as_json[0] == exported[0] == 0, exported[1]
    told = json.loads(as_json[1])
    assert [(each["bot"], each["owner"]) for each in told["entrants"]] == [
        ("fox", "owner-of-fox"),
        ("owl", "owner-of-owl"),
    ]
    assert "fox: of owner-of-fox" in shown[1]
    assert "round robin, 2 rounds" in shown[1]
    root = shown[1].split("under the root ")[1].split()[0]
    assert bytes.fromhex(root) in bundle.read_bytes()
    assert f"manifest     {told['manifest_hash']}\n" in shown[1]
    audited = await asyncio.to_thread(CliRunner().invoke, app, ["audit", str(bundle)])
    assert audited.exit_code == 0, audited.output
    assert f"manifest {told['manifest_hash']}\n" in audited.output
    assert os.listdir(tmp_path) == ["cup.bundle"]


async def test_what_is_not_over_is_not_exported_and_what_was_there_stays(tmp_path: Path) -> None:
    bundle = tmp_path / "cup.bundle"
    bundle.write_bytes(b"of another day")
    async with cup() as run:
        await run("start", "cup")
        early = await run("export", "cup", str(bundle))
        unknown = await run("export", "--match", "nothing", str(bundle))
        unwritable = await run("export", "cup", str(tmp_path / "nowhere" / "cup.bundle"))

    assert early[0] == unknown[0] == unwritable[0] == 2
    assert "not finished" in early[1]
    assert "MATCH_UNKNOWN" in unknown[1]
    assert "No such file or directory" in unwritable[1]
    assert bundle.read_bytes() == b"of another day"
    assert os.listdir(tmp_path) == ["cup.bundle"]


@pytest.mark.parametrize("at_once", [1, 2, 500])
async def test_all_tournaments_are_listed_by_name_however_many_come_at_once(
    at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(servicers.tournaments, "_NAMES_AT_ONCE", at_once)
    async with cup() as run:
        for name in ("autumn", "spring"):
            await run("create", name, "--game", "art_robbery", "--players", "2")
        listed = await run("list")
        as_json = await run("list", "--json")

    assert listed == (0, "autumn\ncup\nspring\n")
    assert json.loads(as_json[1]) == ["autumn", "cup", "spring"]
