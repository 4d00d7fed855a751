"""What an operator can fetch counts what happened, names nobody, and is not for everybody."""

import ssl
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
import trustme
from prometheus_client.parser import text_string_to_metric_families

from cutpurse.v1 import game_pb2, match_pb2
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import LogUnavailable
from cutpurse_server.metrics import Figures, MeteredLog
from tests.server.service.arena import Arena, eventually, open_arena

LIST_GAMES = "/cutpurse.v1.GameService/ListGames"
GET_VIEW = "/cutpurse.v1.MatchService/GetView"
CONNECT = "/cutpurse.v1.BotService/Connect"


@pytest.fixture
def figures() -> Figures:
    """Figures that nothing was counted in."""
    return Figures()


@pytest.fixture
async def watched(figures: Figures) -> AsyncIterator[Arena]:
    """A running service whose figures are kept."""
    async with open_arena(figures=figures) as arena:
        yield arena


def value(figures: Figures, name: str, **labels: str) -> float:
    """One sample; 0 if there is none."""
    return figures.registry.get_sample_value(name, labels) or 0.0


def text(address: str, context: ssl.SSLContext | None = None) -> str:
    """What is answered at an address."""
    scheme = "http" if context is None else "https"
    with urllib.request.urlopen(f"{scheme}://{address}/metrics", timeout=10, context=context) as response:
        return str(response.read().decode())


async def test_calls_are_counted_by_method_and_status(watched: Arena, figures: Figures) -> None:
    for _ in range(3):
        await watched.stub("GameService").ListGames(game_pb2.ListGamesRequest(), metadata=watched.metadata("ann"))
    with pytest.raises(grpc.aio.AioRpcError):
        await watched.stub("GameService").ListGames(game_pb2.ListGamesRequest())

    assert value(figures, "cutpurse_calls_total", method=LIST_GAMES, code="OK") == 3
    assert value(figures, "cutpurse_calls_total", method=LIST_GAMES, code="UNAUTHENTICATED") == 1
    assert value(figures, "cutpurse_refusals_total", reason="TOKEN_INVALID") == 1
    assert value(figures, "cutpurse_call_seconds_count", method=LIST_GAMES) == 3


async def test_a_refused_call_is_counted_by_its_reason(watched: Arena, figures: Figures) -> None:
    refusal = await watched.refused("ann", "GetView", match_pb2.GetViewRequest(match="nowhere"))

    # It is counted when the call is over, and the caller hears of it before.
    await eventually(lambda: value(figures, "cutpurse_calls_total", method=GET_VIEW, code=refusal.code.name) == 1)
    assert value(figures, "cutpurse_refusals_total", reason=refusal.reason) == 1


async def test_streams_are_counted_while_they_are_open(watched: Arena, figures: Figures) -> None:
    stream = await watched.dial("ann")
    assert value(figures, "cutpurse_open_streams", method=CONNECT) == 1

    await stream.call.done_writing()

    await eventually(lambda: value(figures, "cutpurse_open_streams", method=CONNECT) == 0)


async def test_a_method_that_does_not_exist_makes_no_figure(watched: Arena, figures: Figures) -> None:
    unknown: Any = watched.channel.unary_unary("/cutpurse.v1.GameService/NoSuchMethod")
    with pytest.raises(grpc.aio.AioRpcError):
        await unknown(b"", metadata=watched.metadata("ann"))

    assert not [s for family in figures.registry.collect() for s in family.samples if "NoSuchMethod" in str(s.labels)]


async def test_figures_name_no_match_no_bot_and_no_token(watched: Arena, figures: Figures) -> None:
    match, streams = await watched.start(["ann", "ben"])
    decision = await streams["ann"].next("decisions")
    choice = match_pb2.Choice(match=match, decision=decision.decision, request_id=b"first", index=0)
    await watched.ask("ann", "SubmitChoice", match_pb2.SubmitChoiceRequest(choice=choice))

    with figures.served("127.0.0.1:0") as address:
        told = text(address)

    assert value(figures, "cutpurse_flush_seconds_count") > 0
    known = {"method", "code", "reason", "operation", "le"}
    families = list(text_string_to_metric_families(told))
    assert {label for family in families for sample in family.samples for label in sample.labels} <= known
    for secret in (match, "ann", "ben", *watched.tokens.values()):
        assert secret not in told


class BrokenLog(MemoryLog):
    """A log that can be made to fail."""

    broken = False

    async def beat(self) -> None:
        """See `Log.beat`."""
        if self.broken:
            raise LogUnavailable("The disk is gone.")
        await super().beat()


async def test_a_log_that_fails_is_shown_until_it_works_again(figures: Figures) -> None:
    log = BrokenLog()
    metered = MeteredLog(log, figures)
    await metered.open()
    await metered.beat()
    assert value(figures, "cutpurse_log_available") == 1

    log.broken = True
    with pytest.raises(LogUnavailable):
        await metered.beat()
    assert value(figures, "cutpurse_log_available") == 0
    assert value(figures, "cutpurse_log_failures_total", operation="beat") == 1

    log.broken = False
    await metered.beat()
    assert value(figures, "cutpurse_log_available") == 1


@pytest.mark.parametrize("address", ["0.0.0.0:0", "[::]:0", "example.org:9464", "192.0.2.1:9464"])
def test_off_the_loopback_figures_need_certificates(figures: Figures, address: str) -> None:
    with pytest.raises(ValueError, match="operators alone"), figures.served(address):
        pass


@pytest.mark.parametrize("address", ["", "9464", "localhost", "localhost:", "localhost:x", "localhost:-1"])
def test_what_is_no_address_is_refused_with_an_example(figures: Figures, address: str) -> None:
    with pytest.raises(ValueError, match=r"127\.0\.0\.1:9464"), figures.served(address):
        pass


@pytest.fixture
def operators(tmp_path: Path) -> tuple[trustme.CA, tuple[Path, Path, Path]]:
    """Who may read figures from outside, and the service's certificate, key and that authority as files."""
    authority = trustme.CA()
    own = authority.issue_cert("localhost")
    files = tmp_path / "chain.pem", tmp_path / "key.pem", tmp_path / "authority.pem"
    files[0].write_bytes(b"".join(blob.bytes() for blob in own.cert_chain_pems))
    files[1].write_bytes(own.private_key_pem.bytes())
    files[2].write_bytes(authority.cert_pem.bytes())
    return authority, files


def test_from_outside_only_who_shows_a_certificate_reads_figures(
    figures: Figures, operators: tuple[trustme.CA, tuple[Path, Path, Path]]
) -> None:
    authority, files = operators
    with figures.served("0.0.0.0:0", files) as address:
        address = f"localhost:{address.rpartition(':')[2]}"
        stranger = ssl.create_default_context(cadata=authority.cert_pem.bytes().decode())
        with pytest.raises(OSError):  # noqa: PT011 - the handshake ends, and which end says so first is chance
            text(address, stranger)

        known = ssl.create_default_context(cadata=authority.cert_pem.bytes().decode())
        authority.issue_cert("scraper.example.org").configure_cert(known)
        assert "cutpurse_log_available 1.0" in text(address, known)
