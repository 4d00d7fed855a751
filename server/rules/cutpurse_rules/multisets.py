"""Multisets of components: a hand, the tiles in front of a seat, a discard pile.

Components of a kind are interchangeable (G4), so a multiset is kept as `bytes` in canonical order: each byte is one
component, numbered from 1 within its kind. That is compact, hashable, immutable, equal exactly for equal multisets, and
cheap to put into a fingerprint, where a zero byte separates one from the next.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from itertools import repeat
from operator import mul

__all__ = ["alone", "multiset_of", "notations", "small_with_one", "small_without_one", "with_one", "without_one"]

_COMPONENTS = range(256)
_ONE = tuple(bytes((component,)) for component in _COMPONENTS)
_TWO = tuple(one * 2 for one in _ONE)
_PLACES = bytes(max(0, component - 1) for component in _COMPONENTS)
"""By component, its place among those of its kind, which are numbered from 1."""


def multiset_of(counts: Mapping[str, int], canonical: Sequence[str]) -> bytes:
    """The multiset that holds `counts[notation]` components of each kind, numbered by their place in `canonical`."""
    assert set(counts) <= set(canonical)
    return b"".join(map(mul, _ONE[1:], map(counts.get, canonical, repeat(0))))


def notations(multiset: bytes, canonical: Sequence[str]) -> list[str]:
    """The notation of every component, in the multiset's order."""
    return list(map(canonical.__getitem__, multiset.translate(_PLACES)))


def alone(component: int) -> bytes:
    """The multiset that holds nothing but one component."""
    return _ONE[component]


def with_one(multiset: bytes, component: int) -> bytes:
    """The multiset and one component more."""
    # Another of its kind is what it is put beside, if there is one: no place has to be sought.
    more = multiset.replace(_ONE[component], _TWO[component], 1)
    if more is not multiset:
        return more
    place = bisect_left(multiset, component)
    return multiset[:place] + _ONE[component] + multiset[place:]


def without_one(multiset: bytes, component: int) -> bytes:
    """The multiset and one component less, which it must hold."""
    less = multiset.replace(_ONE[component], b"", 1)
    assert len(less) < len(multiset), "a component was taken from where it does not lie"
    return less


def small_with_one(multiset: bytes, component: int) -> bytes:
    """As `with_one`, for multisets of few components of few kinds: those that came up lately are remembered."""
    return _MORE[component][multiset]


def small_without_one(multiset: bytes, component: int) -> bytes:
    """As `without_one`, for multisets of few components of few kinds."""
    return _LESS[component][multiset]


class _Changed(dict[bytes, bytes]):
    """By multiset, what becomes of it when one certain component is added or taken away."""

    def __init__(self, change: Callable[[bytes, int], bytes], component: int) -> None:
        super().__init__()
        self._change = change
        self._component = component

    def __missing__(self, multiset: bytes) -> bytes:
        if len(self) >= _REMEMBERED_MAX:
            self.clear()
        changed = self[multiset] = self._change(multiset, self._component)
        return changed


_REMEMBERED_MAX = 4_096
"""Of multisets, for each component."""
_MORE = tuple(_Changed(with_one, component) for component in _COMPONENTS)
_LESS = tuple(_Changed(without_one, component) for component in _COMPONENTS)
