"""Multisets of components: a hand, the tiles in front of a seat, a discard pile.

Components of a kind are interchangeable (G4), so a multiset is kept as `bytes` in canonical order: each byte is one
component, numbered from 1 within its kind. That is compact, hashable, immutable, equal exactly for equal multisets, and
cheap to put into a fingerprint, where a zero byte separates one from the next.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence

__all__ = ["multiset_of", "notations", "with_one", "without_one"]

_ONE = tuple(bytes((component,)) for component in range(256))


def multiset_of(counts: Mapping[str, int], canonical: Sequence[str]) -> bytes:
    """The multiset that holds `counts[notation]` components of each kind, numbered by their place in `canonical`."""
    assert set(counts) <= set(canonical)
    return b"".join(_ONE[place] * counts.get(notation, 0) for place, notation in enumerate(canonical, start=1))


def notations(multiset: bytes, canonical: Sequence[str]) -> list[str]:
    """The notation of every component, in the multiset's order."""
    return [canonical[component - 1] for component in multiset]


def with_one(multiset: bytes, component: int) -> bytes:
    """The multiset and one component more."""
    place = bisect_left(multiset, component)
    return multiset[:place] + _ONE[component] + multiset[place:]


def without_one(multiset: bytes, component: int) -> bytes:
    """The multiset and one component less, which it must hold."""
    less = multiset.replace(_ONE[component], b"", 1)
    assert len(less) < len(multiset), "a component was taken from where it does not lie"
    return less
