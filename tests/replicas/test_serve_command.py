"""`cutpurse serve` and `cutpurse log` on a database, as people run them: what they say, and what they never say."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cutpurse_server.addresses import without_secrets
from cutpurse_server.log.postgresql import PostgreSQLLog
from cutpurse_server.serve import log_of
from tests.acceptance.processes import Marked, cutpurse, free_port
from tests.replicas.processes import Replica
from tests.server.log.postgresql_cluster import OWNER, Cluster


@pytest.fixture
def marked() -> Iterator[Marked]:
    """Processes of which none is left behind, whatever becomes of the test."""
    processes = Marked()
    yield processes
    processes.kill_all()


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("postgresql://ann:canary@db.example:5433/log?sslmode=verify-full", "postgresql://ann@db.example:5433/log"),
        ("postgres://ann:canary@db.example/log", "postgresql://ann@db.example/log"),
        ("postgresql:///log?password=canary", "postgresql:///log"),
        ("postgresql://ann:canary@one:5432,two:5432/log", "postgresql://one:5432,two:5432/log"),
        ("postgresql://ann:can@ary@host:port/log", "postgresql://host:port/log"),
        ("sqlite:arena.sqlite", "sqlite:arena.sqlite"),
    ],
)
def test_an_address_is_shown_without_its_secrets(address: str, shown: str) -> None:
    assert without_secrets(address) == shown


def test_without_the_driver_one_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "cutpurse_server.log.postgresql")
    monkeypatch.setitem(sys.modules, "asyncpg", None)
    monkeypatch.delitem(sys.modules, "cutpurse_server.log.postgresql_connections")

    with pytest.raises(ValueError, match=r"pip install 'cutpurse-server\[postgresql\]'"):
        log_of("postgresql://ann:canary@host/log")


@pytest.mark.postgresql
async def test_a_service_that_cannot_have_its_log_says_why_and_no_password(marked: Marked, cluster: Cluster) -> None:
    await cluster.execute("postgres", f"ALTER USER {OWNER} PASSWORD 'right'")
    listen = f"127.0.0.1:{free_port()}"
    said = {}
    for what, address in {
        "database": cluster.address_over_tcp("nowhere", password="right"),
        "password": cluster.address_over_tcp("postgres", password="canary"),
        "server": f"postgresql://ann:canary@127.0.0.1:{free_port()}/log",
    }.items():
        done = marked.run(cutpurse("serve", "--listen", listen, "--log", address))
        assert done.returncode == 2
        said[what] = done.stderr
        assert "canary" not in done.stdout + done.stderr
        assert "right" not in done.stderr.replace("address right", "")
        assert "Traceback" not in done.stderr

    assert "there is no such database" in said["database"]
    assert "the password is wrong" in said["password"]
    assert "the server cannot be reached" in said["server"]


@pytest.mark.postgresql
async def test_a_service_says_where_its_log_is_and_no_password(
    marked: Marked, cluster: Cluster, tmp_path: Path
) -> None:
    await cluster.execute("postgres", f"ALTER USER {OWNER} PASSWORD 'canary'")
    database = await cluster.create_database()
    replica = Replica(marked, tmp_path, cluster.address_over_tcp(database, password="canary"), "1")

    replica.until_it_serves()
    shown = marked.run(cutpurse("log", "show", "m", "--log", cluster.address_over_tcp(database, password="canary")))
    replica.stop()

    assert f"log postgresql://{OWNER}@127.0.0.1:{cluster.port}/{database}; organiser's token in" in replica.printed
    assert (tmp_path / "organiser-token").stat().st_mode & 0o777 == 0o600
    assert "the log holds no match 'm'" in shown.stderr
    assert "canary" not in replica.printed + shown.stderr + shown.stdout


def test_the_driver_is_imported_by_nobody_else(marked: Marked) -> None:
    program = "import sys, cutpurse_server.cli, cutpurse_server.serve; sys.exit('asyncpg' in sys.modules)"

    assert marked.run([sys.executable, "-c", program]).returncode == 0


@pytest.mark.postgresql
async def test_a_log_of_matches_can_be_read_while_a_service_uses_it(cluster: Cluster) -> None:
    database = await cluster.create_database()
    first, second = PostgreSQLLog(cluster.address(database)), PostgreSQLLog(cluster.address(database))
    await first.open()
    async with first.taking_up():
        await first.beat()

    await second.open()

    assert await second.streams("match") == []
    await second.close()
    await first.close()
