"""Big Max tables set up by hand, and what tests ask about them; everything in notation."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from cutpurse_rules.big_max import BigMax
from cutpurse_rules.big_max.cards import CARDS, GUNMAN, MASTER_THIEF, SUITCASE
from cutpurse_rules.big_max.state import Standing, State, Step
from cutpurse_rules.chance import Chance, Draw, ScriptedChance, StreamChance, key_of_seed
from cutpurse_rules.contract import Seat
from cutpurse_rules.errors import Illegal, Reason

GAME = BigMax()
NO_CHANCE = ScriptedChance([])
"""For what must not draw anything."""

FULL = "H2 H2 H2 H2 H2 H2"
"""A hand for a seat whose cards do not matter."""


def heap(text: str) -> bytes:
    """`"T4 GM"` as a multiset."""
    return bytes(sorted(CARDS.index(each) + 1 for each in text.split()))


def thieves(text: str) -> tuple[Standing, ...]:
    """`"T4:2 T5:1+2"` as thieves that stand in front of a seat, oldest first: card, employer, gunmen."""
    standing = []
    for each in text.split():
        card, _, rest = each.partition(":")
        employer, _, gunmen = rest.partition("+")
        standing.append(Standing(CARDS.index(card) + 1, Seat(int(employer)), int(gunmen or 0)))
    return tuple(standing)


def position(
    hands: Sequence[str],
    *,
    displays: Sequence[int] = (),
    standing: Sequence[str] = (),
    pile: str = "H4 H4 H4 H4 H4 H4",
    discards: str = "",
    turn_seat: int = 0,
    turn: int = 1,
    **options: Any,
) -> State:
    """A table in a turn. The pile is given top card first."""
    players = len(hands)
    state = GAME.begin(GAME.configure(players, options), StreamChance(key_of_seed("position")))
    state.hands = [heap(hand) for hand in hands]
    state.pile = bytes(CARDS.index(card) + 1 for card in pile.split())
    state.discards = heap(discards)
    state.displays = tuple(displays) or (0,) * players
    state.standing = tuple(map(thieves, standing)) or ((),) * players
    state.turn_seat = Seat(turn_seat)
    state.turn = turn
    return state


def legal(state: State) -> list[str]:
    """What the asked seat may do."""
    (seat,) = GAME.asked(state)
    return [action.notation for action in GAME.legal(state, seat)]


def play(state: State, *texts: str, chance: Chance = NO_CHANCE) -> State:
    """The state after each of the texts was chosen by the seat that was asked; no card is lost on the way."""
    for text in texts:
        (seat,) = GAME.asked(state)
        action = GAME.parse(text)
        GAME.verify(state, seat, action)
        after = GAME.resolve(state, {seat: action}, chance)
        assert cards_of(after) == cards_of(state)
        state = after
    return state


def refusal(state: State, seat: int, text: str) -> Reason | None:
    """Why the seat may not choose the text, or None."""
    try:
        GAME.verify(state, Seat(seat), GAME.parse(text))
    except Illegal as error:
        return error.reason
    return None


def view(state: State, seat: int | None = None) -> dict[str, Any]:
    """What the seat or a spectator sees."""
    return GAME.view(state, None if seat is None else Seat(seat)).to_json()


def told(before: State, text: str, chance: Chance = NO_CHANCE) -> list[str]:
    """What the table is told when the asked seat chooses the text."""
    (seat,) = GAME.asked(before)
    chosen = {seat: GAME.parse(text)}
    happenings = GAME.happenings(before, chosen, GAME.resolve(before, chosen, chance))
    return [
        happening.text if happening.seat is None else f"{happening.seat} {happening.text}" for happening in happenings
    ]


def script(**draws: str) -> ScriptedChance:
    """A chance with these draws by label: `reshuffle_1="T4 GM"` top card first, `sharp_1="SC"`."""
    return ScriptedChance(
        Draw(name.replace("_", "/"), "pick" if name.startswith("sharp") else "shuffle", tuple(outcome.split()))
        for name, outcome in draws.items()
    )


def cards_of(state: State) -> Counter[int]:
    """All cards of the match, wherever they are."""
    cards = Counter(b"".join([*state.hands, state.pile, state.discards]))
    cards[SUITCASE] += sum(state.displays)
    on_the_table = [(thief.card, thief.gunmen) for each in state.standing for thief in each]
    if state.challenge is not None:
        on_the_table.append((state.challenge.card, state.challenge.gunmen))
    for thief, gunmen in on_the_table:
        cards[thief] += 1
        cards[GUNMAN] += gunmen
    return +cards


def check_table(state: State) -> None:
    """What holds between any two decisions."""
    setup = state.setup
    assert cards_of(state) == Counter(setup.deck)
    assert len(state.hands) == len(state.displays) == len(state.standing) == setup.players
    for held in [*state.hands, state.discards]:
        assert bytes(sorted(held)) == held
    for seat, hand in enumerate(state.hands):
        assert len(hand) <= 6
        assert 0 <= state.displays[seat] <= 5
        assert not (state.standing[seat] and state.displays[seat]), "a thief stands where suitcases are"
        assert all(thief.employer != seat for thief in state.standing[seat])
        assert all(seat in (sharp.from_seat, sharp.to_seat) for sharp in state.sharps_of(Seat(seat)))
    assert sum(len(state.sharps_of(Seat(seat))) for seat in range(setup.players)) * 3 == 2 * len(state.sharp_record)
    check_step(state)


def check_step(state: State) -> None:
    """Who is asked, and who has won."""
    setup = state.setup
    assert 1 <= state.turn <= setup.turn_limit
    qualified = [
        seat
        for seat in range(setup.players)
        if state.displays[seat] == 5 and MASTER_THIEF in state.hands[seat] and not setup.master_thief_must_be_laid
    ]
    if state.step is Step.OVER:
        assert state.winner is not None or state.turn == setup.turn_limit
        assert state.winner is not None or state.challenge is None
        assert setup.master_thief_must_be_laid or qualified == ([] if state.winner is None else [state.winner])
        return
    assert state.winner is None
    assert qualified == []
    assert (state.challenge is not None) is (state.step is Step.REPLY)
    if state.challenge is None:
        assert state.hands[state.turn_seat], "a seat without cards is skipped (R10)"
    else:
        assert state.challenge.challenger == state.turn_seat
        assert state.challenge.employer != state.challenge.target
