"""What follows from a tournament's secret: its deals, committed to before anybody enters, and its matches' names.

The order of its tables and of the bots at a table follow from it as well (schedule.py).

Vectors are in docs/audit.md.

deals secret           32 bytes, drawn, or SHA-256("cutpurse/deals/v1" ‖ 0x00 ‖ seed)
secret of a slot       HMAC-SHA-256(deals secret, "slot" ‖ u32be slot)
root                   RFC 6962 tree hash over the secrets of all slots, in order; it stands in the manifest
key of a match         HKDF-SHA-256 of its slot's secret, with the entropy as salt and the info
                       "cutpurse/deal/v1" ‖ u32be slot ‖ u32be attempt
name of a match        TOURNAMENT "." and the first 8 bytes, in hexadecimal, of HMAC-SHA-256(deals secret,
                       "match/v1" ‖ u32be round ‖ u32be table ‖ u32be rotation ‖ u32be attempt)
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from hashlib import sha256
from hmac import digest

from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from cutpurse_rules.chance import KEY_BYTES

__all__ = [
    "DEAL_SLOTS",
    "NO_ENTROPY",
    "deals_root",
    "deals_secret",
    "match_key",
    "match_name",
    "merkle_root",
    "slot_secret",
]

_NAME_BYTES = 8

DEAL_SLOTS = 1 << 17
"""Slots of every tournament: a fixed generous number, so that it says nothing about the schedule."""

NO_ENTROPY = b""
"""The entrants' part in the deals. Empty as long as bots contribute no nonces."""


def deals_secret(seed: str) -> bytes:
    """The 32 bytes from which all deals follow; drawn unless a seed is given."""
    return sha256(b"cutpurse/deals/v1\x00" + seed.encode()).digest() if seed else secrets.token_bytes(KEY_BYTES)


def slot_secret(deals: bytes, slot: int) -> bytes:
    """The 32-byte secret of one slot, from 0."""
    assert len(deals) == KEY_BYTES
    assert 0 <= slot < DEAL_SLOTS
    return digest(deals, b"slot" + slot.to_bytes(4, "big"), "sha256")


def match_key(secret: bytes, entropy: bytes, slot: int, attempt: int) -> bytes:
    """The 32-byte key of the match that is played with a slot in an attempt (from 1) of its block."""
    info = b"cutpurse/deal/v1" + slot.to_bytes(4, "big") + attempt.to_bytes(4, "big")
    return HKDF(SHA256(), KEY_BYTES, salt=entropy, info=info).derive(secret)


def match_name(deals: bytes, tournament: str, place: tuple[int, int, int, int]) -> str:
    """The id of the match in a place: round and table from 1, rotation from 0, attempt from 1.

    Who does not know the deals' secret cannot tell the place from it, nor who plays there: bots read the ids of their
    matches.
    """
    assert len(deals) == KEY_BYTES
    numbers = b"".join(number.to_bytes(4, "big") for number in place)
    return f"{tournament}.{digest(deals, b'match/v1' + numbers, 'sha256')[:_NAME_BYTES].hex()}"


def deals_root(deals: bytes) -> bytes:
    """The root over all slots: 32 bytes. Takes a good part of a second."""
    return merkle_root([slot_secret(deals, slot) for slot in range(DEAL_SLOTS)])


def merkle_root(leaves: Sequence[bytes]) -> bytes:
    """The tree hash of RFC 6962, section 2.1, of at least one leaf: 32 bytes.

    The left subtree of n leaves holds the largest power of two below n. So level by level, pairs are joined from the
    left, and a node left over at the end goes up as it is.
    """
    assert leaves
    level = [sha256(b"\x00" + leaf).digest() for leaf in leaves]
    while len(level) > 1:
        pairs = [sha256(b"\x01" + level[at] + level[at + 1]).digest() for at in range(0, len(level) - 1, 2)]
        level = pairs if len(level) % 2 == 0 else [*pairs, level[-1]]
    return level[0]
