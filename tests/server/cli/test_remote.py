"""The commands that speak to a running service: encrypted off the machine, and refused in words for people."""

import asyncio
from pathlib import Path

import pytest
import trustme
from typer.testing import CliRunner

from cutpurse_server.cli import app
from cutpurse_server.identity import Role
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.serve import Tls, running_service

CREATE = ["tournament", "create", "cup", "--game", "art_robbery", "--players", "2"]


async def run(*arguments: str) -> tuple[int, str]:
    """The exit code of a command and all that it printed; beside the loop, on which the service runs."""
    result = await asyncio.to_thread(CliRunner().invoke, app, arguments)
    return result.exit_code, result.output


async def test_a_service_with_a_certificate_is_spoken_to_through_its_authority(tmp_path: Path) -> None:
    authority = trustme.CA()
    certificate = authority.issue_cert("localhost")
    tls = Tls(certificate.cert_chain_pems[0].bytes(), certificate.private_key_pem.bytes())
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    async with running_service(MemoryLog(), ["localhost:0"], tls) as service:
        token, _ = await service.registry.issue_token(Role.ORGANISER)
        there = ["--address", service.addresses[0], "--token", token]

        encrypted = await run(*CREATE, *there, "--ca", str(tmp_path / "ca.pem"))
        unreadable = await run(*CREATE, *there, "--ca", str(tmp_path / "gone.pem"))

    assert encrypted[0] == 0, encrypted[1]
    assert "cup is open" in encrypted[1]
    assert unreadable[0] == 2
    assert "gone.pem cannot be read" in unreadable[1]


async def test_no_token_goes_to_another_machine_without_encryption() -> None:
    code, printed = await run(*CREATE, "--address", "arena.example:7711", "--token", "cutp_secret")

    assert code == 2
    assert "--ca FILE" in printed
    assert "cutp_secret" not in printed


@pytest.mark.parametrize("text", ["ann is entered. Its token:\ncutp_secret", "cutp_sécret"])
async def test_what_holds_more_than_a_token_is_no_token(tmp_path: Path, text: str) -> None:
    file = tmp_path / "token"
    file.write_text(text)

    code, printed = await run("tournament", "standings", "cup", "--token-file", str(file))

    assert code == 2
    assert f"{file} holds more than a token" in printed.replace("\n", "")
    assert "cret" not in printed


@pytest.mark.parametrize(
    ("role", "game", "shown"),
    [
        (None, "art_robbery", "does not know the token"),
        (Role.SPECTATOR, "art_robbery", "take an organiser's"),
        (Role.ORGANISER, "chess", "there are art_robbery"),
    ],
)
async def test_a_refusal_says_what_a_person_can_do(role: Role | None, game: str, shown: str) -> None:
    async with running_service(MemoryLog(), ["127.0.0.1:0"]) as service:
        token = "cutp_unknown" if role is None else (await service.registry.issue_token(role))[0]

        code, printed = await run(
            "tournament", "create", "cup", "--game", game, "--players", "2",
            "--address", service.addresses[0], "--token", token,
        )  # fmt: skip

    assert code == 2
    assert shown in printed


@pytest.mark.parametrize(
    ("command", "default"),
    [
        (["serve"], "127.0.0.1:7711"),
        (["tournament", "run"], "all bots"),
        (["tournament", "enter"], "named like the bot"),
        (["match"], "drawn and printed"),
    ],
)
def test_help_states_defaults_in_words(command: list[str], default: str) -> None:
    # Brackets in a help text are markup, and were swallowed.
    assert default in CliRunner().invoke(app, [*command, "--help"], env={"COLUMNS": "200"}).output
