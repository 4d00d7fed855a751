"""Commitments and chain against vectors, worked out from the words of log.proto with nothing but SHA-256."""

from hashlib import sha256

import pytest

from cutpurse_server.log.chain import NO_MANIFEST, commitment, first_link, link, links
from cutpurse_server.log.port import StoredEvent

SALT = bytes(range(32))
MANIFEST = bytes(range(100, 132))

COMMITMENTS = [
    (bytes(32), b"", "f09cc66424a35e60419fe33126c56077d154ba547e9f3d0de385c4fe58f3cfe8"),
    (SALT, b"secret", "7a5e6663368b9efd9919e525f918d13c799d5b43eee9bb133f5a4e22014aad35"),
    (SALT, bytes(range(256)), "fc30824bfe8a062b7a9af4bcd02ace76635b0bb0887f5e2e66d45a25c8e039d7"),
]
FIRST_LINKS = [
    ("m-1", NO_MANIFEST, "bbdcd60aedfcdd1aa53c41376cff94893e96d1223d74d360592268e465067493"),
    ("m-1", MANIFEST, "daba9d44cb20ec8198b89a608d42a7164567d135de56cce8576719b0113cd0d9"),
    ("identity", NO_MANIFEST, "f97e68af6923d4003f35407265d2a12330822e0ef89c68c992db9ab8649260d0"),
    ("häuser", NO_MANIFEST, "5c967be626d5cb5d7c3ce748d479acb6ae92d9cc880df78c84c3e9e4d8fcc8d0"),
]
CHAIN_OF_M_1 = [
    (b"", "0c39d9fb4e87c5fe5a7517dd958bc59da8e6640e746dfad6710f2c659b0e2731"),
    (b"public", "fd7abfa1345bffe89e55fec5332125532dc58ccacfba4b399223b42147e1035b"),
    (bytes(range(256)), "9c3cf727780389f15f6db353c0ac3fb254333ce71ed1fdd1a8358c6d214983a8"),
]
"""Public bytes of three events of a match `m-1` without manifest, and the chain's value after each."""


@pytest.mark.parametrize(("salt", "secret", "expected"), COMMITMENTS)
def test_commitments(salt: bytes, secret: bytes, expected: str) -> None:
    assert commitment(salt, secret).hex() == expected
    assert sha256(bytes([4]) + salt + secret).hexdigest() == expected


@pytest.mark.parametrize(("identifier", "manifest", "expected"), FIRST_LINKS)
def test_the_beginning_of_a_chain(identifier: str, manifest: bytes, expected: str) -> None:
    assert first_link(identifier, manifest).hex() == expected
    assert sha256(bytes([3]) + identifier.encode("utf-8") + manifest).hexdigest() == expected


def test_a_chain_link_by_link() -> None:
    head = first_link("m-1")
    for public, expected in CHAIN_OF_M_1:
        by_hand = sha256(bytes([2]) + head + sha256(bytes([0]) + public).digest()).hexdigest()
        head = link(head, public)
        assert head.hex() == by_hand == expected


def test_several_links_at_once() -> None:
    events = [StoredEvent(public, b"secret", SALT) for public, _ in CHAIN_OF_M_1]

    assert links(first_link("m-1"), events).hex() == CHAIN_OF_M_1[-1][1]
    assert links(first_link("m-1"), []) == first_link("m-1")


def test_every_part_moves_the_value() -> None:
    values = {
        commitment(SALT, b"secret"),
        commitment(bytes(32), b"secret"),
        commitment(SALT, b"secret "),
        first_link("m-1"),
        first_link("m-2"),
        first_link("m-1", MANIFEST),
        link(bytes(32), b"public"),
        link(SALT, b"public"),
        link(bytes(32), b"public "),
        # Without the domain bytes, an event could pass for a link or a commitment.
        link(bytes(32), b"public" + bytes(32)),
    }

    assert len(values) == 10


@pytest.mark.parametrize("salt", [b"", bytes(31), bytes(33)])
def test_a_salt_of_another_length_is_a_fault(salt: bytes) -> None:
    with pytest.raises(AssertionError):
        commitment(salt, b"secret")


@pytest.mark.parametrize("manifest", [b"", bytes(31), bytes(33)])
def test_a_manifest_hash_of_another_length_is_a_fault(manifest: bytes) -> None:
    with pytest.raises(AssertionError):
        first_link("m-1", manifest)
