"""Cards and tiles of every game on the wire: numbers from 1 in canonical order, in flat lists beside their seats."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["by_seat", "name_of"]


def by_seat(places: Sequence[Iterable[int]]) -> tuple[list[int], list[int]]:
    """Components place after place, and for each the seat that it lies at."""
    return [each for lying in places for each in lying], [seat for seat, lying in enumerate(places) for _ in lying]


def name_of(names: Sequence[str], number: int) -> str:
    """The notation of a component; of a number that none has, a text that is in no notation."""
    return names[number - 1] if 1 <= number <= len(names) else "?"
