"""What everybody at the table saw between two decisions, in words. Of what is hidden it reads nothing but sizes.

The state after a decision may already be that of the next deal, so what happened is found out by going through the open
part of the round once more, on a copy of the state before.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cutpurse_rules.contract import Happening, Seat
from cutpurse_rules.multisets import notations
from cutpurse_rules.shadow_thief import cards
from cutpurse_rules.shadow_thief.cards import CARDS
from cutpurse_rules.shadow_thief.locking import valid_attempts
from cutpurse_rules.shadow_thief.round import (
    discard_stalemates,
    fill_safes,
    lay_additions,
    lay_revealed_cards,
    nobody_can_go_on,
)
from cutpurse_rules.shadow_thief.state import ADD, OVER, PLAY, State
from cutpurse_rules.shadow_thief.thieves import ask_next_thief, discard_thieves, line_up_thieves, take_card

__all__ = ["happenings_between"]


def happenings_between(before: State, chosen: Mapping[Seat, Any], after: State) -> Iterator[Happening]:
    """What the choices did, then what followed from them."""
    table = before.copy()
    if before.step is PLAY:
        yield from _revealed(table, chosen)
    elif before.step is ADD:
        yield from _added(table, chosen)
    else:
        yield from _stolen(table, chosen[before.asked[0]].card)
    deal_over = after.deal > before.deal or after.step is OVER
    if deal_over or after.round > before.round:
        discard_thieves(table)
        yield from _round_finished(table, after, deal_over)
    if deal_over:
        yield from _deal_over(before, after)


def _revealed(table: State, chosen: Mapping[Seat, Any]) -> Iterator[Happening]:
    for seat in table.asked:
        yield Happening(seat, f"plays {cards.notation(chosen[seat].card)}")
    lay_revealed_cards(table, chosen)
    revealed = list(table.front)
    discard_stalemates(table)
    gone = b"".join(was for was, now in zip(revealed, table.front, strict=True) if was != now)
    if gone:
        yield Happening(None, f"equal values are discarded: {_list(bytes(sorted(gone)))}")
    line_up_thieves(table)
    yield from _thieves_without_loot(table)


def _stolen(table: State, card: int) -> Iterator[Happening]:
    owner = table.asked[0]
    holder = table.front.index(bytes((card,)))
    thief = cards.notation(table.front[owner][0])
    yield Happening(owner, f"steals {cards.notation(card)} from seat {holder} with {thief}")
    take_card(table, card)
    yield from _thieves_without_loot(table)


def _thieves_without_loot(table: State) -> Iterator[Happening]:
    """Those whose turn passes without a decision, up to the next that can take something."""
    waiting = table.thieves
    ask_next_thief(table)
    for owner in waiting[: len(waiting) - len(table.thieves)]:
        yield Happening(owner, f"finds nothing to steal with {cards.notation(table.front[owner][0])}")


def _added(table: State, chosen: Mapping[Seat, Any]) -> Iterator[Happening]:
    for seat in table.asked:
        added = chosen[seat].cards
        yield Happening(seat, f"adds {_list(added)}" if added else "adds nothing")
    lay_additions(table, chosen)


def _round_finished(table: State, after: State, deal_over: bool) -> Iterator[Happening]:
    """Steps 5 to 7, or what kept them from being played."""
    if nobody_can_go_on(table):
        yield from _stuck(table)
        return
    for seat in table.active:
        if (loot := table.front[seat]) and loot[0] <= cards.LAST_JEWELRY:
            yield Happening(seat, f"puts {_list(loot)} into its safe")
    fill_safes(table)
    valid = valid_attempts(table)
    everybody = len(valid) == len(table.active)
    for seat in table.active:
        if table.front[seat]:
            yield from _tried_to_lock(table, seat, valid, everybody)
    if everybody:
        yield Happening(None, "every open safe would be locked, so nobody locks")
        return
    left = [seat for seat in table.active if seat not in valid]
    if len(left) == 1:
        yield Happening(left[0], "is left with the last open safe")
        return
    if deal_over:
        # The cards ran out, and the next round was over before anybody could be asked.
        yield Happening(None, "the deck is exhausted, and nobody has a card left")
        return
    yield from _drew(table, left, after)


def _stuck(table: State) -> Iterator[Happening]:
    """End check C."""
    for seat in table.active:
        if not table.hands[seat]:
            yield Happening(seat, "has no card left while the deck is exhausted")


def _tried_to_lock(table: State, seat: Seat, valid: tuple[Seat, ...], everybody: bool) -> Iterator[Happening]:
    lock = cards.notation(table.front[seat][0])
    if everybody:
        yield Happening(seat, f"wants to lock its safe with {lock}")
    elif seat not in valid:
        yield Happening(seat, f"cannot lock its safe with {lock}")
    else:
        yield Happening(seat, f"locks its safe with {lock}")
        if hand := len(table.hands[seat]):
            where = "aside" if table.exhausted else "back under the deck"
            yield Happening(seat, f"puts {_number(hand)} {where}")


def _drew(table: State, left: list[Seat], after: State) -> Iterator[Happening]:
    """Step 7."""
    for seat in left:
        if drawn := len(after.hands[seat]) - len(table.hands[seat]):
            yield Happening(seat, f"draws {_number(drawn)}")
    if after.unseen and not table.exhausted:
        yield Happening(None, f"{_number(len(after.unseen))} left in the deck, discarded unseen")
    if after.exhausted and not table.exhausted:
        yield Happening(None, "the deck is exhausted")


def _deal_over(before: State, after: State) -> Iterator[Happening]:
    yield Happening(None, f"deal {before.deal} is over")
    for seat in before.setup.seats:
        yield Happening(seat, f"scores {after.scores[seat] - before.scores[seat]}")
    yield Happening(None, "the game is over" if after.step is OVER else f"deal {after.deal} begins")


def _list(held: bytes) -> str:
    return " ".join(notations(held, CARDS))


def _number(count: int) -> str:
    return "1 card" if count == 1 else f"{count} cards"
