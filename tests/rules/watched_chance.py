"""A chance that checks what a game asks of it."""

from __future__ import annotations

from collections.abc import Sequence

from cutpurse_rules.chance import StreamChance

__all__ = ["WatchedChance"]


class WatchedChance:
    """Passes draws through and checks what the game asks for (G3)."""

    def __init__(self, source: StreamChance, canonical: Sequence[str]) -> None:
        self._source = source
        self._canonical = canonical
        self.labels: list[str] = []

    def _watch(self, label: str, cards: Sequence[str]) -> None:
        assert cards, "a shuffle of no cards is no draw"
        assert label.isascii()
        assert label.isprintable()
        places = [self._canonical.index(card) for card in cards]
        assert places == sorted(places), "cards are handed over in canonical order"
        self.labels.append(label)

    def shuffle(self, label: str, cards: Sequence[str]) -> Sequence[int]:
        """See `Chance.shuffle`."""
        self._watch(label, cards)
        return self._source.shuffle(label, cards)

    def pick(self, label: str, cards: Sequence[str]) -> int:
        """See `Chance.pick`."""
        self._watch(label, cards)
        return self._source.pick(label, cards)
