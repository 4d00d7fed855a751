"""TLS: with whom the bot speaks, and with whom it does not."""

from __future__ import annotations

from cutpurse_server.conformance.scenario import Scenario, Shortcoming
from cutpurse_server.conformance.stage import Stage

__all__ = ["ENCRYPTION"]

_STRANGE_S = 5.0
"""How long a bot is watched at a service that it must not trust; it may also end."""


async def _encrypted(stage: Stage) -> None:
    await stage.encrypt()
    await stage.arrive()
    await stage.play()


async def _stranger(stage: Stage) -> None:
    await stage.encrypt(known=False)
    await stage.launch()
    await stage.ended(_STRANGE_S)
    if stage.ledger.dials:
        raise Shortcoming("it showed its token to a service whose certificate CUTPURSE_CA does not vouch for")


ENCRYPTION = (
    Scenario(
        "encrypted",
        "speaks TLS where CUTPURSE_CA names a certificate authority",
        "On the way to another machine, a token that is not encrypted can be read and used by others.",
        "Where CUTPURSE_CA names a PEM file, make a TLS channel with the certificates in that file as its roots.",
        _encrypted,
        ("plays-a-match",),
    ),
    Scenario(
        "stranger",
        "says nothing to a service whose certificate CUTPURSE_CA does not vouch for",
        "Whoever shows any certificate at all would be given the token.",
        "Leave the check of certificates and names to the gRPC library, and switch none of it off.",
        _stranger,
        ("encrypted",),
    ),
)
