"""Where the service is and who the bot is: arguments, environment, and no token over an open network."""

from pathlib import Path

import pytest
import trustme

import cutpurse_sdk
from cutpurse_sdk import Settings

CERTIFICATE = "-----BEGIN CERTIFICATE-----\n"


def test_arguments_come_before_the_environment() -> None:
    environment = {"CUTPURSE_ADDRESS": "localhost:1", "CUTPURSE_TOKEN": "theirs", "CUTPURSE_SEED": "s"}

    assert Settings.resolve(environment=environment) == Settings("localhost:1", "theirs", "s")
    assert Settings.resolve("unix:/x", "mine", "", environment=environment) == Settings("unix:/x", "mine", "")


@pytest.mark.parametrize(
    ("address", "token", "says"),
    [
        ("", "t", "CUTPURSE_ADDRESS"),
        ("localhost:1", "", "CUTPURSE_TOKEN"),
        ("localhost:1", "a\nb", "line break"),
        ("localhost:1", "a b", "line break"),
        ("localhost:1", "ä", "line break"),
        ("localhost", "t", "host:port"),
        ("localhost:0", "t", "host:port"),
        ("localhost:65536", "t", "host:port"),
        ("http://localhost:1", "t", "host:port"),
        ("::1:50051", "t", "host:port"),
    ],
)
def test_what_cannot_be_used_is_said_before_anything_is_sent(address: str, token: str, says: str) -> None:
    with pytest.raises(cutpurse_sdk.SettingsInvalid, match=says):
        Settings.resolve(address, token, environment={})


@pytest.mark.parametrize("address", ["unix:/x", "localhost:1", "127.0.0.1:1", "127.9.9.9:1", "[::1]:1"])
def test_plaintext_stays_on_this_machine(address: str) -> None:
    assert Settings.resolve(address, "t", environment={}).certificate_authority is None


@pytest.mark.parametrize("address", ["arena.example:1", "10.0.0.1:1", "0.0.0.0:1", "localhost.example:1", "[::2]:1"])
def test_plaintext_to_another_machine_is_refused(address: str) -> None:
    with pytest.raises(cutpurse_sdk.SettingsInvalid, match="CUTPURSE_CA"):
        Settings.resolve(address, "t", environment={})


def test_with_a_certificate_authority_the_connection_is_encrypted(tmp_path: Path) -> None:
    file = tmp_path / "ca.pem"
    trustme.CA().cert_pem.write_to_path(file)

    settings = Settings.resolve("arena.example:1", "t", environment={"CUTPURSE_CA": str(file)})

    assert settings.certificate_authority == file.read_bytes()


def test_a_certificate_file_that_is_none_is_named(tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("")

    with pytest.raises(cutpurse_sdk.SettingsInvalid, match=r"absent\.pem.*No such file"):
        Settings.resolve("arena.example:1", "t", ca=tmp_path / "absent.pem", environment={})
    with pytest.raises(cutpurse_sdk.SettingsInvalid, match=r"empty\.pem.*no certificate"):
        Settings.resolve("arena.example:1", "t", ca=tmp_path / "empty.pem", environment={})


def test_neither_token_nor_seed_is_shown() -> None:
    shown = repr(Settings.resolve("unix:/x", "very-secret", "very-secret", environment={}))

    assert "unix:/x" in shown
    assert "very-secret" not in shown
