"""The run of a local tournament. Everything that must survive lies in its folder; run again, it goes on from there.

FOLDER/plan.json        what is played; a run with another plan is refused
FOLDER/log.sqlite       the log: the only truth
FOLDER/bots/NAME.log    what each bot printed
FOLDER/standings.json, standings.csv
FOLDER/bundle           for auditors
FOLDER/report.html, results.json, results.csv, matrix.csv
FOLDER/service.address, organiser.token
                        while it runs: for the organiser's commands
"""

from __future__ import annotations

import asyncio
import csv
import hashlib
import json
import os
import secrets
import tempfile
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path

from cutpurse_server.arena.children import Child
from cutpurse_server.arena.isolation import Means, Room
from cutpurse_server.arena.plan import BadPlan, Entry, Plan
from cutpurse_server.audit import write_tournament_bundle
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.identity import Role
from cutpurse_server.log.port import LogUnavailable
from cutpurse_server.log.sqlite import SQLiteLog
from cutpurse_server.reports import matrix_csv, page_of, report_of_log, results_csv, results_json
from cutpurse_server.serve import Service, running_service
from cutpurse_server.tournaments import Overview
from cutpurse_server.tournaments.record import Phase

__all__ = ["ADDRESS", "BUNDLE", "ORGANISER_TOKEN", "REPORT", "run_tournament"]

ADDRESS = "service.address"
"""While the tournament runs: where its service is, for the organiser's commands."""
ORGANISER_TOKEN = "organiser.token"
"""The token that goes with it."""
BUNDLE = "bundle"
REPORT = "report.html"
_PLAN = "plan.json"
_BOT_SECRET = "bots.secret"
_TOKEN_VALID_S = 30 * 24 * 3_600

Show = Callable[[Overview, Sequence[Child]], None]
"""Called whenever the tournament has moved."""


async def run_tournament(plan: Plan, folder: Path, means: Means, show: Show) -> Overview:
    """Play a tournament to its end, or on to its end, and write what it leaves behind; the bots isolated by `means`.

    Raises `BadPlan` if the folder holds another tournament, `ServiceError` for what the service refuses,
    `LogUnavailable`, and `OSError` for a folder that cannot be written to.
    """
    plan.check_it_can_be_played()
    _claim(plan, folder)
    async with AsyncExitStack() as stack:
        log = SQLiteLog(folder / "log.sqlite")
        listen, room = ["127.0.0.1:0"], Room(means, plan.limits, (folder,))
        if means.bwrap:
            # Not in the tournament's folder, for the path of a socket must be short.
            sockets = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="cutpurse-")))
            room = replace(room, socket=sockets / "arena")
            listen.append(f"unix:{room.socket}")
        service = await stack.enter_async_context(running_service(log, listen))
        tournaments = service.tournaments
        for entry in plan.entries:
            await _register(service, entry)
        try:
            await tournaments.create(plan.manifest())
        except ServiceError as refusal:
            if refusal.reason is ErrorReason.CONFIGURATION_INVALID:
                # There is no such tournament, so the folder is free for a better plan.
                (folder / _PLAN).unlink()
            raise
        for entry in plan.entries:
            await tournaments.enter(plan.name, entry.name, entry.rank)
        await tournaments.start(plan.name)
        overview = await tournaments.get(plan.name)
        if overview.progress.phase is not Phase.FINISHED:
            overview = await _play(service, plan, folder, room, show)
        _write_standings(overview, folder)
        await _write_bundle(log, plan.name, folder / BUNDLE)
        await _write_report(log, plan.name, folder)
        return overview


def _claim(plan: Plan, folder: Path) -> None:
    """Make the folder this tournament's, or see that it is."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "bots").mkdir(exist_ok=True)
    path, text = folder / _PLAN, plan.to_json()
    if path.exists():
        if path.read_text() != text:
            raise BadPlan(f"{folder} holds another tournament ({path} differs); choose another folder for this one")
        return
    _write_whole(folder / _BOT_SECRET, secrets.token_hex(16) + "\n")
    _write_whole(path, text)


async def _register(service: Service, entry: Entry) -> None:
    """Register a bot, unless an earlier run did."""
    try:
        await service.registry.register_bot(entry.name, entry.owner)
    except ServiceError as refusal:
        if refusal.reason is not ErrorReason.NAME_TAKEN or await service.registry.owner_of(entry.name) != entry.owner:
            raise


async def _play(service: Service, plan: Plan, folder: Path, room: Room, show: Show) -> Overview:
    """Launch the bots and watch until the tournament is finished; whatever happens, no bot is left behind."""
    tokens = {
        entry.name: await service.registry.issue_token(Role.BOT, entry.name, _TOKEN_VALID_S) for entry in plan.entries
    }
    tokens[""] = await service.registry.issue_token(Role.ORGANISER, "", _TOKEN_VALID_S)
    _write_whole(folder / ORGANISER_TOKEN, tokens[""][0] + "\n")
    _write_whole(folder / ADDRESS, service.addresses[0] + "\n")
    children = [_child(service, plan, entry, folder, room, tokens[entry.name][0]) for entry in plan.entries]
    running = [asyncio.create_task(child.keep_running()) for child in children]
    try:
        overview = await service.tournaments.get(plan.name)
        async for overview in service.tournaments.watch(plan.name):
            show(overview, children)
        return overview
    finally:
        for name in (ADDRESS, ORGANISER_TOKEN):
            (folder / name).unlink(missing_ok=True)
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await asyncio.gather(*(child.stop() for child in children))
        # Nobody is to play with a token of this run any more; if the log cannot be written, it expires by itself.
        with suppress(ServiceError, LogUnavailable):
            for _, token_id in tokens.values():
                await service.registry.revoke_token(token_id)


def _child(service: Service, plan: Plan, entry: Entry, folder: Path, room: Room, token: str) -> Child:
    # Bots that draw lots play the same again after a restart, and with a seed in every run.
    own = plan.seed or (folder / _BOT_SECRET).read_text().strip()
    seed = hashlib.sha256(f"{own}/{entry.name}".encode()).hexdigest()
    environment = {"CUTPURSE_ADDRESS": service.addresses[0], "CUTPURSE_TOKEN": token, "CUTPURSE_SEED": seed}
    return Child(entry, environment, folder / "bots" / f"{entry.name}.log", service.presence, room)


def _write_standings(overview: Overview, folder: Path) -> None:
    rows = [standing._asdict() for standing in overview.standings]
    whole = {"tournament": overview.manifest.tournament, "game": overview.manifest.game, "standings": rows}
    _write_whole(folder / "standings.json", json.dumps(whole, indent=2) + "\n")
    partial = folder / "standings.csv.partial"
    with partial.open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]) if rows else [])
        writer.writeheader()
        for row in rows:
            writer.writerow({**row, "points_by_seat": " ".join(f"{each:.6f}" for each in row["points_by_seat"])})
    partial.replace(folder / "standings.csv")


async def _write_bundle(log: SQLiteLog, tournament: str, path: Path) -> None:
    partial = path.with_name(f"{path.name}.partial")
    with partial.open("wb+") as file:
        await write_tournament_bundle(log, tournament, file)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)


async def _write_report(log: SQLiteLog, tournament: str, folder: Path) -> None:
    report = await report_of_log(log, tournament)
    _write_whole(folder / "results.json", json.dumps(results_json(report), indent=2) + "\n")
    _write_whole(folder / "results.csv", results_csv(report))
    _write_whole(folder / "matrix.csv", matrix_csv(report))
    _write_whole(folder / REPORT, page_of(report))


def _write_whole(path: Path, text: str) -> None:
    """Write a file that is there whole or not at all, for the owner's eyes only: bots must not read each other's."""
    partial = path.with_name(f"{path.name}.partial")
    with os.fdopen(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
