"""Reaching the service: waiting for it, giving up, refusals for good, encryption, other versions."""

import asyncio
import logging
import time
from pathlib import Path

import grpc
import pytest
import trustme

import cutpurse_sdk
from cutpurse.v1 import bot_pb2, match_pb2
from tests.sdk.scripted import OPTIONS, Line, accepted, decision, ended, finish, first, offer, scripted_service


async def break_after_welcome(line: Line) -> None:
    await line.welcome()
    await line.break_off()


async def test_a_service_that_comes_late_is_waited_for(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/service.sock"
    playing = asyncio.create_task(cutpurse_sdk.play(first, address=address, matches=1, **OPTIONS))
    await asyncio.sleep(0.1)

    async with scripted_service(tmp_path, finish):
        summary = await playing

    assert summary.matches == 1


async def test_a_service_that_never_comes_exhausts_the_patience(tmp_path: Path) -> None:
    address = f"unix:{tmp_path}/nobody.sock"
    since_s = time.monotonic()

    with pytest.raises(cutpurse_sdk.ServiceUnreachable, match=r"nobody.sock was out of reach for 0 s: UNAVAILABLE"):
        await cutpurse_sdk.play(first, address=address, **OPTIONS | {"patience_s": 0.2})

    assert 0.2 <= time.monotonic() - since_s < 2


async def test_streams_that_break_at_once_exhaust_the_patience_too(tmp_path: Path) -> None:
    with pytest.raises(cutpurse_sdk.ServiceUnreachable, match=r"as scripted|the script is over"):
        async with scripted_service(tmp_path, break_after_welcome, break_after_welcome) as address:
            await cutpurse_sdk.play(first, address=address, **OPTIONS | {"patience_s": 0.2})


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        (grpc.StatusCode.UNAUTHENTICATED, "TOKEN_INVALID"),
        (grpc.StatusCode.PERMISSION_DENIED, "ROLE_FORBIDDEN"),
        (grpc.StatusCode.FAILED_PRECONDITION, "PROTOCOL_UNSUPPORTED"),
        (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_LARGE"),
        (grpc.StatusCode.UNAUTHENTICATED, "OF_A_LATER_VERSION"),
        (grpc.StatusCode.UNIMPLEMENTED, ""),
    ],
)
async def test_what_will_not_change_is_not_tried_again(code: grpc.StatusCode, reason: str, tmp_path: Path) -> None:
    streams = 0

    async def refuse(line: Line) -> None:
        nonlocal streams
        streams += 1
        await line.break_off(code, reason)

    async with scripted_service(tmp_path, at_last=refuse) as address:
        with pytest.raises(cutpurse_sdk.ServiceRefused, match="as scripted") as caught:
            await cutpurse_sdk.play(first, address=address, **OPTIONS)

    # A stream that fails while Hello is being written loses its reason inside gRPC, and is dialled once more.
    assert streams <= 2
    known = reason and not reason.startswith("OF_")
    assert caught.value.status is code
    assert cutpurse_sdk.reason_name(caught.value.reason) == (reason if known else "UNSPECIFIED")


@pytest.mark.parametrize("trusted", [True, False])
async def test_with_encryption_only_the_trusted_service_is_spoken_to(trusted: bool, tmp_path: Path) -> None:
    authority, stranger = trustme.CA(), trustme.CA()
    certificate = authority.issue_cert("localhost")
    credentials = grpc.ssl_server_credentials(
        [(certificate.private_key_pem.bytes(), certificate.cert_chain_pems[0].bytes())]
    )
    file = tmp_path / "ca.pem"
    (authority if trusted else stranger).cert_pem.write_to_path(file)
    scripts = [finish] if trusted else []
    options = OPTIONS | {"ca": file, "patience_s": 0.3}

    async with scripted_service(tmp_path, *scripts, credentials=credentials) as address:
        if trusted:
            assert (await cutpurse_sdk.play(first, address=address, matches=1, **options)).matches == 1
        else:
            with pytest.raises(cutpurse_sdk.ServiceUnreachable):
                await cutpurse_sdk.play(first, address=address, matches=1, **options)


async def test_another_protocol_version_is_refused_by_the_bot_too(tmp_path: Path) -> None:
    async def script(line: Line) -> None:
        await line.hear()
        await line.say(welcome=bot_pb2.Welcome(protocol_version=2))
        await line.silence()

    async with scripted_service(tmp_path, script) as address:
        with pytest.raises(cutpurse_sdk.ServiceRefused, match="protocol version 2"):
            await cutpurse_sdk.play(first, address=address, **OPTIONS)


async def test_a_first_frame_without_welcome_is_no_cutpurse_service(tmp_path: Path) -> None:
    async def script(line: Line) -> None:
        await line.hear()
        await line.say(offers=[offer("m")])
        await line.silence()

    async with scripted_service(tmp_path, script) as address:
        with pytest.raises(cutpurse_sdk.ServiceRefused, match="no Welcome"):
            await cutpurse_sdk.play(first, address=address, **OPTIONS)


async def test_fields_and_values_of_a_newer_protocol_are_let_be(tmp_path: Path) -> None:
    # Field 100 with a text, and an enum value that this version does not know.
    unknown = bytes([0xA2, 0x06, 0x03]) + b"new"

    async def script(line: Line) -> None:
        await line.begin("m")
        newer = match_pb2.Decision.FromString(decision("m", 1).SerializeToString() + unknown)
        newer.view.art_robbery.hand.append(99)  # type: ignore[arg-type]
        frame = bot_pb2.ConnectResponse(decisions=[newer]).SerializeToString() + unknown
        await line.say_bytes(frame)
        choice = await line.hear_choice()
        await line.say(accepted=[accepted(choice)], ended=[ended("m")])
        await line.silence()

    async with scripted_service(tmp_path, script) as address:
        summary = await cutpurse_sdk.play(first, address=address, matches=1, **OPTIONS)

    assert summary.decisions == 1


async def test_no_token_stands_in_a_log(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    async with scripted_service(tmp_path, break_after_welcome, finish) as address:
        await cutpurse_sdk.play(first, address=address, matches=1, **OPTIONS | {"token": "very-secret"})

    assert caplog.text
    assert "very-secret" not in caplog.text
