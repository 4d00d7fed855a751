"""The run of a local tournament. Everything that must survive lies in its folder; run again, it goes on from there.

FOLDER/plan.json        what is played; a run with another plan is refused
FOLDER/log.sqlite       the log: the only truth
FOLDER/bots/NAME.log    what each bot printed, and how it ended
FOLDER/bots/NAME.json   its matches, times and faults: with the log, what its owner may see
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
import io
import json
import secrets
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from dataclasses import replace
from math import isnan
from pathlib import Path
from typing import Any, Protocol

from cutpurse_server.arena.children import Child
from cutpurse_server.arena.happenings import Happening, Happenings
from cutpurse_server.arena.isolation import Means, Room
from cutpurse_server.arena.plan import BadPlan, Entry, Plan
from cutpurse_server.audit import write_tournament_bundle
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.identity import Role
from cutpurse_server.log.port import LogUnavailable
from cutpurse_server.log.sqlite import SQLiteLog
from cutpurse_server.matches.desk import stream_of
from cutpurse_server.reports import Report, matrix_csv, page_of, report_of_log, results_csv, results_json
from cutpurse_server.serve import Service, running_service
from cutpurse_server.tournaments import Overview, Tournaments
from cutpurse_server.tournaments.acting import TEXT_BYTES_MAX
from cutpurse_server.tournaments.bot_log import bot_matches
from cutpurse_server.tournaments.record import Phase
from cutpurse_server.whole_files import whole_file
from cutpurse_server.wire import match_events

__all__ = ["ADDRESS", "BOTS", "BUNDLE", "ORGANISER_TOKEN", "REPORT", "Audience", "run_tournament"]

ADDRESS = "service.address"
"""While the tournament runs: where its service is, for the organiser's commands."""
ORGANISER_TOKEN = "organiser.token"
"""The token that goes with it."""
BOTS = "bots"
BUNDLE = "bundle"
REPORT = "report.html"
_PLAN = "plan.json"
_BOT_SECRET = "bots.secret"
_TOKEN_VALID_S = 30 * 24 * 3_600
_RETRY_S = 1.0


class Audience(Protocol):
    """Who follows a run."""

    def show(self, overview: Overview) -> None:
        """The tournament has moved."""
        ...

    def heard(self, happening: Happening) -> None:
        """Something happened in a match, or to a bot's process."""
        ...


async def run_tournament(plan: Plan, folder: Path, means: Means, audience: Audience) -> Overview:
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
            service.desk.observe(Happenings(audience.heard))
            overview = await _play(service, plan, folder, room, audience)
        else:
            audience.show(overview)
        _write_standings(overview, folder)
        await _write_bundle(log, plan.name, folder / BUNDLE)
        await _write_report(log, plan.name, folder)
        return overview


def _claim(plan: Plan, folder: Path) -> None:
    """Make the folder this tournament's, or see that it is."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / BOTS).mkdir(exist_ok=True)
    path, text = folder / _PLAN, plan.to_json()
    if path.exists():
        if path.read_text() != text:
            raise BadPlan(f"{folder} holds another tournament ({path} differs); choose another folder for this one")
        return
    _keep_private(folder / _BOT_SECRET, secrets.token_hex(16) + "\n")
    _keep_private(path, text)


async def _register(service: Service, entry: Entry) -> None:
    """Register a bot, unless an earlier run did."""
    try:
        await service.registry.register_bot(entry.name, entry.owner)
    except ServiceError as refusal:
        if refusal.reason is not ErrorReason.NAME_TAKEN or await service.registry.owner_of(entry.name) != entry.owner:
            raise


async def _play(service: Service, plan: Plan, folder: Path, room: Room, audience: Audience) -> Overview:
    """Launch the bots and watch until the tournament is finished; whatever happens, no bot is left behind."""
    await service.tournaments.launch(plan.name, _at_most(room.means.described(room.limits), TEXT_BYTES_MAX))
    async with AsyncExitStack() as stack:
        tokens = {
            entry.name: await stack.enter_async_context(_token(service, Role.BOT, entry.name)) for entry in plan.entries
        }
        organisers = await stack.enter_async_context(_token(service, Role.ORGANISER, ""))
        stack.enter_context(_told(folder / ORGANISER_TOKEN, organisers))
        stack.enter_context(_told(folder / ADDRESS, service.addresses[0]))
        launched = [
            _Launched(
                service.tournaments,
                plan.name,
                _child(service, plan, entry, folder, room, tokens[entry.name], audience),
            )
            for entry in plan.entries
        ]
        running: list[asyncio.Task[None]] = []
        try:
            overview = await service.tournaments.get(plan.name)
            for each in launched:
                each.follow(overview)
                running.append(asyncio.create_task(each.run()))
            async for overview in service.tournaments.watch(plan.name):
                for each in launched:
                    each.follow(overview)
                audience.show(overview)
            return overview
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            await asyncio.gather(*(each.child.stop() for each in launched))


class _Launched:
    """A bot that is launched here, unless it is in quarantine; one that is given up is put there."""

    def __init__(self, tournaments: Tournaments, tournament: str, child: Child) -> None:
        self.child = child
        self._tournaments = tournaments
        self._tournament = tournament
        self._free = asyncio.Event()

    def follow(self, overview: Overview) -> None:
        """The tournament has moved; see whether the bot is in quarantine."""
        if self.child.entry.name in overview.quarantined:
            self._free.clear()
        else:
            self._free.set()

    async def run(self) -> None:
        """Keep the bot running; until cancelled."""
        while True:
            await self._free.wait()
            await self.child.keep_running()
            await self._quarantine()
            # Only now, for until it was written the tournament moved on with a bot that was free.
            self._free.clear()

    async def _quarantine(self) -> None:
        """Let nobody wait for it any more, as soon as that can be written."""
        text = f"it ended {self.child.launches} times and is not launched any more"
        while True:
            try:
                await self._tournaments.quarantine(self._tournament, self.child.entry.name, text)
                return
            except ServiceError as refusal:
                if refusal.reason is not ErrorReason.LOG_UNAVAILABLE:
                    # The tournament is over meanwhile.
                    return
            await asyncio.sleep(_RETRY_S)


@asynccontextmanager
async def _token(service: Service, role: Role, bot: str) -> AsyncIterator[str]:
    """A token that ends with the block: nobody is to play with one of this run any more."""
    token, token_id = await service.registry.issue_token(role, bot, _TOKEN_VALID_S)
    try:
        yield token
    finally:
        # If the log cannot be written, it expires by itself.
        with suppress(ServiceError, LogUnavailable):
            await service.registry.revoke_token(token_id)


@contextmanager
def _told(path: Path, text: str) -> Iterator[None]:
    """A file that is there within the block."""
    try:
        _keep_private(path, text + "\n")
        yield
    finally:
        path.unlink(missing_ok=True)


def _at_most(text: str, size: int) -> str:
    """As much of a text as has so many bytes."""
    return text.encode()[:size].decode(errors="ignore")


def _child(
    service: Service, plan: Plan, entry: Entry, folder: Path, room: Room, token: str, audience: Audience
) -> Child:
    # Bots that draw lots play the same again after a restart, and with a seed in every run.
    own = plan.seed or (folder / _BOT_SECRET).read_text().strip()
    seed = hashlib.sha256(f"{own}/{entry.name}".encode()).hexdigest()
    environment = {"CUTPURSE_ADDRESS": service.addresses[0], "CUTPURSE_TOKEN": token, "CUTPURSE_SEED": seed}
    log = folder / BOTS / f"{entry.name}.log"

    def hear(text: str) -> None:
        audience.heard(Happening("bot", {"bot": entry.name, "what": text, "log": str(log)}))

    return Child(entry, environment, log, service.presence, room, hear)


def _write_standings(overview: Overview, folder: Path) -> None:
    rows = [
        standing._asdict() | {"left": standing.left.name.lower() if standing.left else None}
        for standing in overview.standings
    ]
    # JSON has no number for a seat never sat in.
    shown = [
        row | {"points_by_seat": [None if isnan(each) else each for each in row["points_by_seat"]]} for row in rows
    ]
    whole = {"tournament": overview.manifest.tournament, "game": overview.manifest.game, "standings": shown}
    _publish(folder / "standings.json", json.dumps(whole, indent=2) + "\n")
    table = io.StringIO(newline="")
    writer = csv.DictWriter(table, fieldnames=list(rows[0]) if rows else [])
    writer.writeheader()
    for row in rows:
        writer.writerow({**row, "points_by_seat": " ".join(f"{each:.6f}" for each in row["points_by_seat"])})
    _publish(folder / "standings.csv", table.getvalue())


async def _write_bundle(log: SQLiteLog, tournament: str, path: Path) -> None:
    with whole_file(path) as file:
        await write_tournament_bundle(log, tournament, file)


async def _write_report(log: SQLiteLog, tournament: str, folder: Path) -> None:
    report = await report_of_log(log, tournament)
    _publish(folder / "results.json", json.dumps(results_json(report), indent=2) + "\n")
    _publish(folder / "results.csv", results_csv(report))
    _publish(folder / "matrix.csv", matrix_csv(report))
    _publish(folder / REPORT, page_of(report))
    await _write_bot_logs(log, report, folder / BOTS)


async def _write_bot_logs(log: SQLiteLog, report: Report, folder: Path) -> None:
    """For each bot what its owner may see of its matches, and of nobody else's."""
    matches: dict[str, list[dict[str, Any]]] = {row.bot: [] for row in report.standings}
    for block in report.blocks:
        for completed in block.matches:
            events = map(match_events.decode, await log.read(stream_of(completed.match)))
            for match in bot_matches(completed, events):
                matches[match.bot].append(match.to_json())
    for bot, played in matches.items():
        _keep_private(folder / f"{bot}.json", json.dumps({"bot": bot, "matches": played}, indent=1) + "\n")


def _publish(path: Path, text: str) -> None:
    """Write what a tournament that is over leaves to everybody: a web server has to be able to read it."""
    with whole_file(path) as file:
        file.write(text.encode())


def _keep_private(path: Path, text: str) -> None:
    """Write a file for the organiser's eyes only: bots must not read each other's."""
    with whole_file(path, private=True) as file:
        file.write(text.encode())
