"""Deals: the derivations against independent ones, against published vectors, and against docs/audit.md."""

import hashlib
import hmac
import re
from pathlib import Path

import pytest

from cutpurse_server.tournaments.deals import (
    DEAL_SLOTS,
    NO_ENTROPY,
    deals_root,
    deals_secret,
    match_key,
    match_name,
    merkle_root,
    slot_secret,
)

DOCUMENT = Path(__file__).parents[3] / "docs" / "audit.md"

LEAVES = ["", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f"]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
"""The roots over the first 1 to 8 leaves, as the tests of Certificate Transparency give them."""


@pytest.mark.parametrize("count", range(1, len(LEAVES) + 1))
def test_merkle_roots_are_those_of_certificate_transparency(count: int) -> None:
    assert merkle_root([bytes.fromhex(leaf) for leaf in LEAVES[:count]]).hex() == ROOTS[count - 1]


def test_a_match_key_is_what_rfc_5869_says() -> None:
    secret = slot_secret(bytes(range(32)), 7)
    info = b"cutpurse/deal/v1" + (7).to_bytes(4, "big") + (2).to_bytes(4, "big")

    for entropy in (NO_ENTROPY, b"entropy"):
        extracted = hmac.new(entropy or bytes(32), secret, hashlib.sha256).digest()
        expanded = hmac.new(extracted, info + b"\x01", hashlib.sha256).digest()
        assert match_key(secret, entropy, 7, 2) == expanded


def test_every_slot_and_attempt_has_a_key_of_its_own() -> None:
    deals = bytes(32)

    keys = {match_key(slot_secret(deals, slot), b"", slot, attempt) for slot in range(20) for attempt in range(1, 4)}

    assert len(keys) == 60


def test_a_match_is_named_by_its_place_under_the_deals_secret() -> None:
    deals = deals_secret("a")
    message = b"match/v1" + b"".join(number.to_bytes(4, "big") for number in (3, 1_000, 2, 5))

    name = match_name(deals, "cup", (3, 1_000, 2, 5))

    assert name == f"cup.{hmac.new(deals, message, hashlib.sha256).hexdigest()[:16]}"
    assert match_name(deals_secret("b"), "cup", (3, 1_000, 2, 5)) != name


def test_a_seed_makes_the_deals_repeatable_and_none_makes_them_fresh() -> None:
    assert deals_secret("a") == deals_secret("a") != deals_secret("b")
    assert deals_secret("") != deals_secret("")


def documented() -> dict[str, str]:
    """The vectors of the document: name → hexadecimal, or a match's id."""
    text = DOCUMENT.read_text(encoding="utf-8")
    return dict(re.findall(r"^\| `([^`|]+)` \| `([^`|]+)` \|$", text, re.MULTILINE))


def test_the_vectors_of_the_document_are_right() -> None:
    deals = deals_secret("cutpurse")
    computed: dict[str, bytes] = {
        "deals secret of the seed cutpurse": deals,
        "secret of slot 0": slot_secret(deals, 0),
        "secret of slot 131071": slot_secret(deals, DEAL_SLOTS - 1),
        "root": deals_root(deals),
        "key of slot 0, attempt 1": match_key(slot_secret(deals, 0), NO_ENTROPY, 0, 1),
        "key of slot 0, attempt 2": match_key(slot_secret(deals, 0), NO_ENTROPY, 0, 2),
        "key of slot 131071, attempt 1": match_key(slot_secret(deals, DEAL_SLOTS - 1), NO_ENTROPY, DEAL_SLOTS - 1, 1),
    }

    vectors = documented()

    expected = {name: value.hex() for name, value in computed.items()} | {
        "match of cup, round 1, table 1, rotation 0, attempt 1": match_name(deals, "cup", (1, 1, 0, 1)),
        "match of cup, round 2, table 300, rotation 4, attempt 5": match_name(deals, "cup", (2, 300, 4, 5)),
    }
    assert expected == {name: vectors.get(name) for name in expected}
