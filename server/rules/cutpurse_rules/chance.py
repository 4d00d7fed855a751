"""Chance: every random event of a match is a labelled draw (G3).

The stream is specified byte by byte, with test vectors, in docs/notation.md, so that any language can check a deal.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import repeat
from operator import mod
from struct import Struct
from typing import Literal, Protocol

from cutpurse_rules.errors import BadDraw

__all__ = ["KEY_BYTES", "Chance", "Draw", "RecordedChance", "ScriptedChance", "StreamChance", "key_of_seed", "sub_key"]

KEY_BYTES = 32
"""Length of a match key and of every sub-key, in bytes."""

_WORD = Struct(">I")
_BLOCK = Struct(">8I")
_WORDS = 1 << 32

_CARDS_AT_ONCE = 256
"""Draws of so many cards read all their words at once."""
_NEVER_REJECTED = _WORDS - _CARDS_AT_ONCE
"""No smaller word is rejected with a bound of so many cards: a limit lies less than its bound below all words."""
_COUNTERS = tuple(counter.to_bytes(8, "big") for counter in range(_CARDS_AT_ONCE // 8))
_BLOCKS = tuple(Struct(f">{8 * blocks}I") for blocks in range(len(_COUNTERS) + 1))
"""By number of blocks, what takes their words apart."""


@dataclass(frozen=True, slots=True)
class Draw:
    """One draw as it happened: a shuffle (`outcome` is the whole order, top card first) or a pick (one card)."""

    label: str
    kind: Literal["shuffle", "pick"]
    outcome: tuple[str, ...]
    """Cards in notation; exactly one for a pick."""


class Chance(Protocol):
    """Where the draws of a match come from.

    Cards are handed over in canonical order, as (notation of each card); answers are *positions* in that order, so that
    a game keeps its own representation of cards.
    """

    def shuffle(self, label: str, cards: Sequence[str]) -> Sequence[int]:
        """The positions of `cards` in their new order, top first. Never called without a card: that is no draw."""
        ...

    def pick(self, label: str, cards: Sequence[str]) -> int:
        """The position of one of `cards`, uniform over them."""
        ...


def key_of_seed(seed: str) -> bytes:
    """The match key of a seed that a person typed: SHA-256("cutpurse/seed/v1" ‖ 0x00 ‖ seed in UTF-8)."""
    return sha256(b"cutpurse/seed/v1\x00" + seed.encode()).digest()


def sub_key(key: bytes, label: str) -> bytes:
    """The key of a purpose other than a draw (`bot/0`, `state`): SHA-256(key ‖ label).

    Labels are printable ASCII, and a block of the stream ends in a counter that always holds a zero byte: no sub-key
    can coincide with a block.
    """
    assert len(key) == KEY_BYTES
    assert label.isascii()
    assert label.isprintable()
    return sha256(key + label.encode("ascii")).digest()


def _words(key: bytes, label: str) -> Iterator[int]:
    """The label's 32-bit words, without end."""
    prefix = key + label.encode("ascii")
    counter = 0
    while True:
        yield from _BLOCK.unpack(sha256(prefix + counter.to_bytes(8, "big")).digest())
        counter += 1


def _first_words(prefix: bytes, count: int) -> Sequence[int]:
    """At least so many of a label's words, whole blocks of them; `count` is less than `_CARDS_AT_ONCE`."""
    blocks = (count + 7) // 8
    digests = [sha256(prefix + counter).digest() for counter in _COUNTERS[:blocks]]
    return _BLOCKS[blocks].unpack(b"".join(digests))


def _number_below(bound: int, words: Iterator[int]) -> int:
    """A uniform integer in [0, bound), by rejection. A bound of one consumes no word."""
    if bound == 1:
        return 0
    limit = _WORDS - _WORDS % bound
    while (word := next(words)) >= limit:
        pass
    return word % bound


class StreamChance:
    """Draws from the match's key: SHA-256 counter blocks per label, Fisher–Yates from the canonical order (G3).

    Every label has a stream of its own and is drawn once per match, so no draw shifts another, and a chance may be
    made anew at any point of the match. Nearly all draws have no word that must be rejected; they read all their words
    at once.
    """

    __slots__ = ("_key",)

    def __init__(self, key: bytes) -> None:
        assert len(key) == KEY_BYTES
        self._key = key

    def shuffle(self, label: str, cards: Sequence[str]) -> Sequence[int]:
        """See `Chance.shuffle`."""
        assert cards, "a shuffle of no cards is no draw (G3)"
        count = len(cards)
        order = list(range(count))
        if count == 1:
            return order
        numbers: Iterable[int]
        words = _first_words(self._key + label.encode("ascii"), count - 1) if count <= _CARDS_AT_ONCE else ()
        if words and max(words) < _NEVER_REJECTED:
            numbers = map(mod, words, range(count, 1, -1))
        else:
            stream = _words(self._key, label)
            numbers = map(_number_below, range(count, 1, -1), repeat(stream))
        for last, chosen in zip(range(count - 1, 0, -1), numbers, strict=False):
            order[last], order[chosen] = order[chosen], order[last]
        return order

    def pick(self, label: str, cards: Sequence[str]) -> int:
        """See `Chance.pick`."""
        bound = len(cards)
        if bound == 1:
            return 0
        (word,) = _WORD.unpack_from(sha256(self._key + label.encode("ascii") + _COUNTERS[0]).digest())
        if word < _NEVER_REJECTED and bound <= _CARDS_AT_ONCE:
            return int(word % bound)
        return _number_below(bound, _words(self._key, label))


class ScriptedChance:
    """Draws with given outcomes, by label; what the script lacks comes from `otherwise`, and without one is an error.

    Raises `BadDraw` when an outcome does not fit the cards that it is drawn from.
    """

    __slots__ = ("_otherwise", "_script")

    def __init__(self, draws: Iterable[Draw], otherwise: Chance | None = None) -> None:
        self._script: Mapping[str, Draw] = {draw.label: draw for draw in draws}
        self._otherwise = otherwise

    def shuffle(self, label: str, cards: Sequence[str]) -> Sequence[int]:
        """See `Chance.shuffle`."""
        draw = self._script.get(label)
        if draw is None:
            return self._rest(label).shuffle(label, cards)
        if draw.kind != "shuffle" or sorted(draw.outcome) != sorted(cards):
            raise BadDraw(label, f"the script's outcome is not an order of the {len(cards)} cards shuffled here")
        places: dict[str, list[int]] = {}
        for place in range(len(cards) - 1, -1, -1):
            places.setdefault(cards[place], []).append(place)
        return [places[card].pop() for card in draw.outcome]

    def pick(self, label: str, cards: Sequence[str]) -> int:
        """See `Chance.pick`."""
        draw = self._script.get(label)
        if draw is None:
            return self._rest(label).pick(label, cards)
        if draw.kind != "pick" or len(draw.outcome) != 1 or draw.outcome[0] not in cards:
            raise BadDraw(label, f"the script's outcome is not one of the {len(cards)} cards that are picked from here")
        return cards.index(draw.outcome[0])

    def _rest(self, label: str) -> Chance:
        if self._otherwise is None:
            raise BadDraw(label, "the script has no such draw; add it, or give a seed for the rest")
        return self._otherwise


class RecordedChance:
    """Passes draws through and keeps them, in the order in which they happened, until they are taken."""

    __slots__ = ("_draws", "_source")

    def __init__(self, source: Chance) -> None:
        self._source = source
        self._draws: list[Draw] = []

    def shuffle(self, label: str, cards: Sequence[str]) -> Sequence[int]:
        """See `Chance.shuffle`."""
        order = self._source.shuffle(label, cards)
        self._draws.append(Draw(label, "shuffle", tuple(cards[place] for place in order)))
        return order

    def pick(self, label: str, cards: Sequence[str]) -> int:
        """See `Chance.pick`."""
        place = self._source.pick(label, cards)
        self._draws.append(Draw(label, "pick", (cards[place],)))
        return place

    def take(self) -> tuple[Draw, ...]:
        """The draws since the last call."""
        taken = tuple(self._draws)
        self._draws.clear()
        return taken
