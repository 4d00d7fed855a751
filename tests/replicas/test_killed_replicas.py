"""kill -9 of replicas, drained and hanging ones, crashes of the database and cut connections while processes play.

No acknowledged move is lost or doubled, nobody pays for it, and a tournament ends as if nothing had happened. Every
test prints its seed. The long forms can be run in portions: CUTPURSE_REPLICAS_SEEDS says how many seeds they take, and
CUTPURSE_REPLICAS_FIRST which is the first.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import grpc
import pytest

from cutpurse.v1 import identity_pb2, identity_pb2_grpc, match_pb2, tournament_pb2, tournament_pb2_grpc
from cutpurse_server.log.postgresql import PostgreSQLLog
from tests.acceptance.logs import MatchLog, read_matches
from tests.acceptance.pace import Pace
from tests.acceptance.processes import PATIENCE_S, Marked, until
from tests.acceptance.serving import BOTS, CHOICES_MIN, CLOCK, check_ledger, dial_in, enter_with, until_all_have_ended
from tests.replicas.processes import Replica, three_replicas
from tests.server.log.postgresql_cluster import Cluster, running_cluster

pytestmark = [pytest.mark.postgresql, pytest.mark.timeout(300)]

LONG_SEEDS = int(os.environ.get("CUTPURSE_REPLICAS_SEEDS", "6"))
LONG_FIRST = int(os.environ.get("CUTPURSE_REPLICAS_FIRST", "30"))
CRASH = "crash of the database"


@pytest.fixture
def marked() -> Iterator[Marked]:
    """Processes of which none is left behind, whatever becomes of the test."""
    processes = Marked()
    yield processes
    processes.kill_all()


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    made = [tmp_path / "undisturbed", tmp_path / "disturbed"]
    for folder in made:
        folder.mkdir()
    return made


class Faults:
    """What may go wrong with replicas and their database."""

    def __init__(
        self,
        cluster: Cluster,
        database: str,
        replicas: Sequence[Replica],
        chance: random.Random,
        only: str | None = None,
    ) -> None:
        """All of them, or `only` one."""
        self._cluster = cluster
        self._database = database
        self._replicas = replicas
        self._chance = chance
        self.counted: Counter[str] = Counter()
        self._kinds: dict[str, Callable[[], object]] = {
            "kill -9": self._kill,
            "drain": self._drain,
            "hang": self._hang,
            CRASH: cluster.restart,
            "connections cut": self._cut,
        }
        if only is not None:
            self._kinds = {only: self._kinds[only]}
        self._order: list[str] = []

    def one(self) -> None:
        """One of them; each kind comes as often as the others."""
        if not self._order:
            self._order = self._chance.sample(sorted(self._kinds), len(self._kinds))
        kind = self._order.pop()
        self._kinds[kind]()
        self.counted[kind] += 1

    def _kill(self) -> None:
        replica = self._chance.choice(self._replicas)
        replica.kill()
        time.sleep(self._chance.uniform(0, 0.5))
        replica.start()

    def _drain(self) -> None:
        replica = self._chance.choice([each for each in self._replicas if not each.has_ended()])
        replica.until_it_serves()
        replica.stop()
        replica.start()

    def _hang(self) -> None:
        process = self._chance.choice([each for each in self._replicas if not each.has_ended()]).process
        process.send_signal(signal.SIGSTOP)
        time.sleep(self._chance.uniform(0.3, 1.5))
        process.send_signal(signal.SIGCONT)

    def _cut(self) -> None:
        cut = self._cluster.run_program(
            "psql", "--dbname", "postgres", "--command",
            f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{self._database}'",
        )  # fmt: skip
        assert cut.returncode == 0


async def play_through_faults(
    marked: Marked, folder: Path, seed: int, matches: int, faults_max: int, only: str | None = None
) -> Counter[str]:
    """Matches of client processes at three replicas while faults happen; what was counted."""
    print(f"seed {seed}")
    with running_cluster() as cluster:
        database = await cluster.create_database()
        replicas, token = three_replicas(marked, folder, cluster.address(database))
        tokens, ids = enter_with(replicas[0].address, token, matches)
        pace = Pace(folder, [folder / bot for bot in BOTS])
        clients = dial_in(marked, folder, [replica.address for replica in replicas], tokens, matches, pace)
        share = matches * CHOICES_MIN // faults_max
        chance = random.Random(seed)
        faults = Faults(cluster, database, replicas, chance, only)
        while faults.counted.total() < faults_max and not _any_ended(clients):
            pace.grant(share)
            left = max(pace.left - chance.randint(1, share), 0)
            until(lambda left=left: pace.left <= left or _any_ended(clients), "play goes on")  # type: ignore[misc]
            faults.one()
        pace.grant_all()
        until_all_have_ended([folder / bot for bot in BOTS], list(clients.values()))
        for bot, client in clients.items():
            assert client.wait() == 0, (folder / f"{bot}.log").read_text()
        for replica in replicas:
            replica.until_it_serves()
            replica.stop()
        logs = await read_matches(PostgreSQLLog(cluster.address(database)))
    assert logs.keys() == set(ids)
    counted = faults.counted
    for bot in BOTS:
        counted.update(check_ledger(bot, folder / bot, logs))
    for log in logs.values():
        assert log.record.outcome is not None
        assert not log.defaulted
        assert log.record.strikes == (0,) * len(BOTS)
    return counted


def _any_ended(clients: dict[str, Any]) -> bool:
    return any(client.poll() is not None for client in clients.values())


async def test_faults_of_replicas_and_database_lose_and_double_no_acknowledged_move(
    marked: Marked, tmp_path: Path
) -> None:
    counted = await play_through_faults(marked, tmp_path, 3, matches=9, faults_max=10)

    print(dict(counted))
    assert counted["acknowledged"] >= 200
    assert counted["repeated"] >= 10
    assert all(counted[kind] == 2 for kind in ("kill -9", "drain", "hang", CRASH, "connections cut"))


@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("seed", range(LONG_FIRST, LONG_FIRST + LONG_SEEDS))
async def test_many_faults_lose_and_double_no_acknowledged_move(marked: Marked, tmp_path: Path, seed: int) -> None:
    counted = await play_through_faults(marked, tmp_path, seed, matches=40, faults_max=60)

    print(dict(counted))
    assert counted.total() >= 1_000


@pytest.mark.long
@pytest.mark.timeout(3_600)
@pytest.mark.parametrize("seed", range(LONG_FIRST, LONG_FIRST + LONG_SEEDS))
async def test_many_crashes_of_the_database_lose_and_double_no_acknowledged_move(
    marked: Marked, tmp_path: Path, seed: int
) -> None:
    counted = await play_through_faults(marked, tmp_path, seed, matches=40, faults_max=40, only=CRASH)

    print(dict(counted))
    assert counted[CRASH] == 40
    assert counted["acknowledged"] >= 2_000


# Tournaments.

ENTRANTS = {"ann": "first", "ben": "greedy", "cat": "random", "dan": "first"}
"""Bots, and the house bot that plays each: all of them play the same again in the same match."""


def play_tournament(
    marked: Marked, replicas: Sequence[Replica], folder: Path, token: str, disturb: Callable[[Callable[[], int]], None]
) -> list[Any]:
    """Play a tournament with bots connected to different replicas, and disturb it meanwhile; the standings."""
    bots: list[subprocess.Popen[bytes]] = []
    metadata = (("authorization", f"Bearer {token}"),)
    with grpc.insecure_channel(replicas[0].address) as channel:
        identity: Any = identity_pb2_grpc.IdentityServiceStub(channel)
        tournaments: Any = tournament_pb2_grpc.TournamentServiceStub(channel)
        manifest = tournament_pb2.TournamentManifest(
            tournament="cup",
            configuration=match_pb2.MatchConfiguration(
                game="art_robbery",
                clock=CLOCK,
            ),
            format=tournament_pb2.TOURNAMENT_FORMAT_ROUND_ROBIN,
            players=3,
            rounds=2,
            concurrency=6,
        )
        create = tournament_pb2.CreateTournamentRequest(manifest=manifest, seed="replicas")
        tournaments.CreateTournament(create, metadata=metadata)
        for number, (bot, kind) in enumerate(ENTRANTS.items()):
            described = identity_pb2.BotDescription(bot=bot, owner=f"owner-of-{bot}")
            identity.RegisterBot(identity_pb2.RegisterBotRequest(bot=described), metadata=metadata)
            wanted = identity_pb2.IssueTokenRequest(role=identity_pb2.ROLE_BOT, bot=bot)
            issued = identity.IssueToken(wanted, metadata=metadata)
            tournaments.EnterTournament(
                tournament_pb2.EnterTournamentRequest(tournament="cup", bot=bot), metadata=metadata
            )
            started = marked.start(
                [sys.executable, "-m", "cutpurse_bots", kind],
                folder / f"{bot}.log",
                CUTPURSE_ADDRESS=replicas[number % len(replicas)].address,
                CUTPURSE_TOKEN=issued.token,
                CUTPURSE_SEED=bot,
            )
            bots.append(started)
        tournaments.StartTournament(tournament_pb2.StartTournamentRequest(tournament="cup"), metadata=metadata)

    def done() -> int:
        return int(_progress(replicas[-1], metadata).matches_done)

    disturb(done)
    until(
        lambda: _progress(replicas[-1], metadata).phase == tournament_pb2.TOURNAMENT_PHASE_FINISHED,
        "the tournament is finished",
        PATIENCE_S * 4,
    )
    for each in bots:
        each.kill()
        each.wait()
    with grpc.insecure_channel(replicas[-1].address) as channel:
        tournaments = tournament_pb2_grpc.TournamentServiceStub(channel)
        request = tournament_pb2.GetStandingsRequest(tournament="cup")
        return list(tournaments.GetStandings(request, metadata=metadata).standings)


def _progress(replica: Replica, metadata: Any) -> tournament_pb2.TournamentProgress:
    """How far the tournament is, asked until somebody answers."""
    for _ in range(300):
        with grpc.insecure_channel(replica.address) as channel:
            tournaments: Any = tournament_pb2_grpc.TournamentServiceStub(channel)
            try:
                request = tournament_pb2.GetTournamentRequest(tournament="cup")
                progress = tournaments.GetTournament(request, metadata=metadata, timeout=10).progress
                assert isinstance(progress, tournament_pb2.TournamentProgress)
                return progress
            except grpc.RpcError as error:
                if error.code() is not grpc.StatusCode.UNAVAILABLE:
                    raise
                time.sleep(0.1)
    raise AssertionError("nobody answers")


async def what_came_of_it(
    marked: Marked, folder: Path, disturb: Callable[[Cluster, Sequence[Replica], Callable[[], int]], None]
) -> tuple[dict[str, list[str]], dict[str, str], list[bytes]]:
    """Schedule, courses and standings of a tournament."""
    with running_cluster() as cluster:
        database = await cluster.create_database()
        replicas, token = three_replicas(marked, folder, cluster.address(database))
        standings = play_tournament(marked, replicas, folder, token, lambda done: disturb(cluster, replicas, done))
        for replica in replicas:
            replica.until_it_serves()
            replica.stop()
        logs: dict[str, MatchLog] = await read_matches(PostgreSQLLog(cluster.address(database)))
    for match, log in logs.items():
        assert log.record.outcome is not None, match
        assert not log.defaulted, match
    schedule = {match: [seat.bot for seat in log.begun.seats] for match, log in logs.items()}
    courses = {match: " · ".join(choice.notation for choice in log.made) for match, log in logs.items()}
    return schedule, courses, [row.SerializeToString(deterministic=True) for row in standings]


def kill_and_crash(cluster: Cluster, replicas: Sequence[Replica], done: Callable[[], int]) -> None:
    """The replica that began the tournament is killed, and later the database crashes, and another is drained."""
    until(lambda: done() >= 3, "some matches are over")
    replicas[0].kill()
    time.sleep(1)
    replicas[0].start()
    until(lambda: done() >= 8, "more matches are over")
    cluster.restart()
    replicas[0].until_it_serves()
    until(lambda: done() >= 12, "more matches are over")
    replicas[1].stop()
    replicas[1].start()


async def test_a_tournament_across_three_replicas_ends_like_an_undisturbed_one(
    marked: Marked, folders: list[Path]
) -> None:
    undisturbed = await what_came_of_it(marked, folders[0], lambda *_: None)
    disturbed = await what_came_of_it(marked, folders[1], kill_and_crash)

    assert len(undisturbed[0]) == 24
    assert disturbed == undisturbed
