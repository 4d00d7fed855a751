"""Where the service is and who the bot is: arguments first, then the environment.

| variable           | meaning                                                                     |
|--------------------|-----------------------------------------------------------------------------|
| `CUTPURSE_ADDRESS` | `host:port` or `unix:/path`                                                 |
| `CUTPURSE_TOKEN`   | the bot's token                                                             |
| `CUTPURSE_SEED`    | any text; makes `Decision.random` repeatable                                |
| `CUTPURSE_CA`      | path of a file with the certificate authority of the service, in PEM        |
"""

from __future__ import annotations

import ipaddress
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import grpc

from cutpurse_sdk.errors import SettingsInvalid

__all__ = ["Settings"]

_HOST_AND_PORT = re.compile(r"(?P<host>\[[0-9A-Fa-f:.]+\]|[^\[\]:/\s]+):(?P<port>[0-9]{1,5})", re.ASCII)

_CHANNEL_OPTIONS = (
    # Every attempt stands alone: the pool that channels share by default remembers a failed address, and others wait.
    ("grpc.use_local_subchannel_pool", 1),
    # The SDK dials in again itself, with its own pauses, and sends again only what it knows to be without effect.
    ("grpc.enable_retries", 0),
    # A frame of many views may be larger than gRPC's 4 MiB.
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    # A connection may die without a word: behind a router that was switched off a bot would wait for ever.
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    # gRPC waits a whole minute for the answer otherwise, whatever the line above says.
    ("grpc.http2.ping_timeout_ms", 10_000),
    # A bot may wait for its turn, and so say nothing, for longer than two such questions.
    ("grpc.http2.max_pings_without_data", 0),
)


@dataclass(frozen=True, slots=True)
class Settings:
    """What is needed to dial in."""

    address: str
    """`host:port` or `unix:/path`."""
    token: str = field(repr=False)
    """Shown to the service as bearer token; never logged."""
    seed: str | None = field(default=None, repr=False)
    """Makes `Decision.random` repeatable; absent: different in every process."""
    certificate_authority: bytes | None = field(default=None, repr=False)
    """PEM. With it the connection is encrypted; without, it must stay on this machine."""

    @classmethod
    def resolve(
        cls,
        address: str | None = None,
        token: str | None = None,
        seed: str | None = None,
        ca: str | os.PathLike[str] | None = None,
        environment: Mapping[str, str] = os.environ,
    ) -> Settings:
        """Take what is given, and the rest from the environment. Raises `SettingsInvalid`."""
        address = address or environment.get("CUTPURSE_ADDRESS", "")
        token = token or environment.get("CUTPURSE_TOKEN", "")
        ca = ca or environment.get("CUTPURSE_CA", "")
        if not address:
            raise SettingsInvalid("no address: pass address=… or set CUTPURSE_ADDRESS to host:port or unix:/path")
        if not token:
            raise SettingsInvalid(
                "no token: pass token=… or set CUTPURSE_TOKEN to the text that the organiser gave you"
            )
        if not token.isascii() or not token.isprintable() or " " in token:
            raise SettingsInvalid("the token holds characters that no token has; was it copied with a line break?")
        seed = seed if seed is not None else environment.get("CUTPURSE_SEED")
        settings = cls(address, token, seed, _read_certificate(ca) if ca else None)
        _refuse_open_network(settings)
        return settings

    def open_channel(self) -> grpc.aio.Channel:
        """A new channel; whoever opens it closes it."""
        if self.certificate_authority is None:
            return grpc.aio.insecure_channel(self.address, options=_CHANNEL_OPTIONS)
        credentials = grpc.ssl_channel_credentials(root_certificates=self.certificate_authority)
        return grpc.aio.secure_channel(self.address, credentials, options=_CHANNEL_OPTIONS)

    @property
    def metadata(self) -> tuple[tuple[str, str], ...]:
        """What goes with every call."""
        return (("authorization", f"Bearer {self.token}"),)


def _read_certificate(path: str | os.PathLike[str]) -> bytes:
    """The certificate authority's file."""
    try:
        content = Path(path).read_bytes()
    except OSError as error:
        raise SettingsInvalid(f"cannot read the certificate file {path} (CUTPURSE_CA): {error.strerror}") from error
    if b"-----BEGIN CERTIFICATE-----" not in content:
        raise SettingsInvalid(f"{path} (CUTPURSE_CA) holds no certificate in PEM form")
    return content


def _refuse_open_network(settings: Settings) -> None:
    """Raise unless the connection is encrypted or stays on this machine: a token read on the way is a seat lost."""
    if settings.address.startswith("unix:"):
        return
    found = _HOST_AND_PORT.fullmatch(settings.address)
    if found is None or not 0 < int(found["port"]) < 65536:
        raise SettingsInvalid(f"{settings.address!r} is no address: write host:port, [ipv6]:port or unix:/path")
    if settings.certificate_authority is None and not _is_loopback(found["host"].strip("[]")):
        raise SettingsInvalid(
            f"{settings.address} is another machine, and without encryption anybody on the way could read the token: "
            "set CUTPURSE_CA to the file with the service's certificate authority (PEM)"
        )


def _is_loopback(host: str) -> bool:
    """Whether a host is this machine itself."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
