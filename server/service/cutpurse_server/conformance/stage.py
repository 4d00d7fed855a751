"""Everything that one scenario needs: the real service in memory, the relay, the front, the other seats, the bot."""

from __future__ import annotations

import asyncio
import secrets
import ssl
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple

import trustme

from cutpurse.v1.errors_pb2 import ErrorReason
from cutpurse_server.conformance.front import Front
from cutpurse_server.conformance.ledger import Ledger
from cutpurse_server.conformance.opponents import Opponents
from cutpurse_server.conformance.program import Program
from cutpurse_server.conformance.relay import Relay
from cutpurse_server.conformance.scenario import Shortcoming
from cutpurse_server.identity import Role
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.deciding import abort
from cutpurse_server.matches.events import (
    Cause,
    ChoiceDefaulted,
    ChoiceRefused,
    Clock,
    MatchVoided,
    SeatForfeited,
    SeatIdentity,
    VoidCause,
)
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.serve import Service, running_service

__all__ = ["BOT", "QUICK", "START_S", "STILL_S", "UNHURRIED", "Stage", "Terms", "open_stage"]

BOT = "candidate"
"""The bot's name."""
START_S = 30.0
"""How long a program may take until it dials in."""
STILL_S = 12.0
"""How long nothing may happen where the bot has to do something."""
UNHURRIED = Clock(decision_ms=600_000, bank_ms=600_000, warm_up_ms=600_000, corrections_max=2)
"""For what is not about time."""
_POLL_S = 0.005


class Terms(NamedTuple):
    """What to play where any match does."""

    game: str
    players: int
    options: Mapping[str, Any]


QUICK: Mapping[str, Terms] = {
    "art_robbery": Terms("art_robbery", 2, {"heist_turn_limit": 6}),
    "big_max": Terms("big_max", 3, {"turn_limit": 12}),
    "shadow_thief": Terms("shadow_thief", 3, {"deals": 1}),
}
"""A short match of each game."""


class Stage:
    """Made by `open_stage`; a scenario sets a script, launches the bot, begins matches, and waits for what it does."""

    def __init__(
        self, command: Sequence[str], quick: Terms, patience: float, folder: Path, relay: Relay, log: MemoryLog
    ) -> None:
        self.quick = quick
        """A short match of a game that the bot plays."""
        self.patience = patience
        """By how much every time limit is longer than usual."""
        self.relay = relay
        self.front = relay.front
        self.ledger: Ledger = relay.ledger
        self._command = command
        self._folder = folder
        self._log = log
        self._stack = AsyncExitStack()
        self._service: Service | None = None
        self._token = ""
        self._authority: Path | None = None
        self._programs: list[Program] = []
        self._matches = 0
        self._moved_at_s: dict[str, float] = {}
        self.opponents: Opponents

    @property
    def program(self) -> Program | None:
        """The bot's process, the latest one; None before the first."""
        return self._programs[-1] if self._programs else None

    @property
    def output(self) -> str:
        """What the bot printed last."""
        return self.program.output if self.program is not None else ""

    @property
    def service(self) -> Service:
        """The real one."""
        assert self._service is not None, "the stage is open"
        return self._service

    async def start_service(self) -> None:
        """Have the service there, with what it knew before."""
        address = f"unix:{self._folder / 'service'}"
        self._service = await self._stack.enter_async_context(running_service(self._log, [address]))
        self._service.desk.observe(self)
        self.opponents = Opponents(self._service.desk, BOT)
        if not self._token:
            await self._service.registry.register_bot(BOT, BOT)
            self._token, _ = await self._service.registry.issue_token(Role.BOT, BOT)

    async def encrypt(self, *, known: bool = True) -> None:
        """Have the front encrypt from now on, with a certificate of the authority that bots are told of, or another."""
        told = trustme.CA()
        self._authority = self._folder / "authority.pem"
        told.cert_pem.write_to_path(self._authority)
        encryption = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        (told if known else trustme.CA()).issue_cert("localhost").configure_cert(encryption)
        encryption.set_alpn_protocols(["h2"])
        await self.front.close()
        self.front.encryption = encryption
        await self.front.open()

    async def stop_service(self) -> None:
        """Let the service drain and stop."""
        await self._stack.aclose()
        self._service = None

    def moved(self, before: MatchRecord | None, after: MatchRecord, events: Sequence[Any]) -> None:
        """See `Observer.moved`."""
        self._moved_at_s[after.match] = time.monotonic()

    async def launch(self, *, token: str | None = None) -> Program:
        """Launch the bot, with its own token or another."""
        environment = {
            "CUTPURSE_ADDRESS": self.front.address,
            "CUTPURSE_TOKEN": self._token if token is None else token,
            "CUTPURSE_SEED": "conformance",
        }
        if self._authority is not None:
            environment["CUTPURSE_CA"] = str(self._authority)
        program = await Program.launch(self._command, environment)
        self._programs.append(program)
        return program

    async def arrive(self) -> None:
        """Launch the bot and wait until it has said Hello."""
        said = len(self.ledger.hellos)
        await self.launch()
        await self.until(lambda: len(self.ledger.hellos) > said, "it had not said Hello", START_S)

    async def begin(
        self, terms: Terms | None = None, seat: int = 0, clock: Clock = UNHURRIED, *, match: str = ""
    ) -> str:
        """Begin a match with the bot in a seat; its name. Its cards are the same in every run."""
        terms = terms or self.quick
        self._matches += 1
        match = match or f"match-{self._matches}"
        names = [f"opponent-{number}" for number in range(terms.players)]
        names[seat] = BOT
        seats = [SeatIdentity(name, name) for name in names]
        now_ms = self._log.now_ms()
        begun = begin_match(match, terms.game, terms.options, clock, seats, now_ms, seed=f"{match}/{seat}")
        await self.service.desk.begin(begun)
        return match

    async def play(self, terms: Terms | None = None, seat: int = 0, clock: Clock = UNHURRIED) -> str:
        """Begin a match, wait for its end, and see that the bot played all of it well."""
        match = await self.begin(terms, seat, clock)
        await self.over(match)
        await self.played_well(match)
        return match

    async def over(self, match: str) -> MatchRecord:
        """Wait for a match's end; raises `Shortcoming` if it stands still for too long."""
        self._moved_at_s[match] = time.monotonic()
        while True:
            record = await self.service.desk.record(match)
            assert record is not None, "the match was begun"
            if record.over:
                return record
            self._check_alive(f"match {match} was being played")
            still_s = time.monotonic() - self._moved_at_s[match]
            if still_s > STILL_S * self.patience:
                raise Shortcoming(f"{_where(record, self.ledger)}, and for {still_s:.0f} s nothing happened")
            await asyncio.sleep(_POLL_S)

    async def until(self, holds: Callable[[], bool], otherwise: str, limit_s: float = STILL_S) -> None:
        """Wait until something holds; raises `Shortcoming` with what is wrong if it does not."""
        until_s = time.monotonic() + limit_s * self.patience
        while not holds():
            self._check_alive(otherwise)
            if time.monotonic() > until_s:
                raise Shortcoming(f"{otherwise} after {limit_s * self.patience:.0f} s")
            await asyncio.sleep(_POLL_S)

    async def stays(self, seconds: float, doing: str) -> None:
        """See that the bot does not end for a while."""
        until_s = time.monotonic() + seconds
        while time.monotonic() < until_s:
            self._check_alive(doing)
            await asyncio.sleep(_POLL_S)

    async def ended(self, limit_s: float) -> int | None:
        """Wait for the end of the bot's process; its exit code, or None if it did not end."""
        assert self.program is not None, "it was launched"
        until_s = time.monotonic() + limit_s * self.patience
        # Polling, for a process that has begun others is not done with when its own end is noticed.
        while self.program.code is None and time.monotonic() < until_s:  # noqa: ASYNC110
            await asyncio.sleep(_POLL_S)
        return self.program.code

    async def void(self, match: str) -> None:
        """End a match without a result, as an organiser may."""
        await self.service.desk.ask(
            match, lambda draft, now_ms: abort(draft, VoidCause.ABORTED, "the conformance kit voided it", now_ms)
        )

    async def played_well(self, match: str) -> None:
        """Raise `Shortcoming` if anything in a match's log is held against the bot."""
        self.behaved()
        record = await self.service.desk.record(match)
        assert record is not None, "the match was begun"
        seat = record.seat_of[BOT]
        for event in await self.service.desk.events_of(match):
            if isinstance(event, ChoiceRefused) and event.seat == seat:
                raise Shortcoming(
                    f"in decision {event.number} of a match of {record.begun.game} it answered {event.answer!r}, "
                    f"which is {event.cause.name.lower()}"
                )
            if isinstance(event, ChoiceDefaulted) and event.seat == seat:
                raise Shortcoming(_defaulted(event.cause, event.number, record.begun.game))
            if isinstance(event, SeatForfeited) and event.seat == seat:
                raise Shortcoming("its seat was forfeited")
            if isinstance(event, MatchVoided):
                raise Shortcoming(f"the match was voided: {event.text}")

    def behaved(self) -> None:
        """Raise `Shortcoming` if the bot did what no bot may ever do."""
        if self.relay.mistake is not None:
            raise self.relay.mistake
        if self.ledger.complaints:
            raise Shortcoming(f"it {self.ledger.complaints[0]}")

    async def close(self) -> None:
        """End everything."""
        for program in self._programs:
            await program.end()
        await self.front.close()
        await self.relay.close()
        await self._stack.aclose()

    def _check_alive(self, doing: str) -> None:
        if self.relay.mistake is not None:
            raise self.relay.mistake
        if self.program is not None and self.program.code is not None:
            raise Shortcoming(f"it ended with {self.program.ending} while {doing}")


def _defaulted(cause: Cause, number: int, game: str) -> str:
    """What a default that was played for the bot says about it."""
    what = "its time was over" if cause is Cause.TIMEOUT else f"the cause is {cause.name}"
    return f"in decision {number} of a match of {game} the default was played for it: {what}"


def _where(record: MatchRecord, ledger: Ledger) -> str:
    """Where a match stands, as far as the bot is concerned."""
    seat = record.seat_of[BOT]
    number, match = record.decisions[seat], record.begun.match
    if record.number == 0:
        return f"it did not get ready for a match of {record.begun.game}"
    if seat in record.waiting():
        which = f"decision {number} of a match of {record.begun.game}"
        refused = ledger.told_refused.get((match, number))
        if refused is not None:
            reason = ErrorReason.Name(refused.reason).removeprefix("ERROR_REASON_")
            return f"its answer to {which} was refused as {reason}, and it sent none that was taken"
        if ledger.answers_to(match, number):
            return f"its answer to {which} had no reply, and it did not send it again"
        return f"it did not answer {which}"
    return f"a match of {record.begun.game} did not go on after decision {number}"


@asynccontextmanager
async def open_stage(
    command: Sequence[str], quick: Terms, patience: float, folder: Path, *, on_socket: bool = False
) -> AsyncIterator[Stage]:
    """A stage in a folder of its own; whatever happens, nothing of it is left."""
    front = Front(folder / "relay", folder / secrets.token_hex(4) if on_socket else None)
    relay = Relay(f"unix:{folder / 'service'}", front, Ledger())
    stage = Stage(command, quick, patience, folder, relay, MemoryLog())
    try:
        await stage.start_service()
        await relay.open(f"unix:{folder / 'relay'}")
        await front.open()
        yield stage
    finally:
        closing = asyncio.create_task(stage.close())
        try:
            await asyncio.shield(closing)
        except asyncio.CancelledError:
            # However often somebody asks for the end, no process is left.
            await closing
            raise
