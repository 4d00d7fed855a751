"""Labelled chance (G3): the document's vectors, uniformity, independence of labels, scripts and records."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from cutpurse_rules import GAMES
from cutpurse_rules.chance import (
    KEY_BYTES,
    Draw,
    RecordedChance,
    ScriptedChance,
    StreamChance,
    key_of_seed,
    sub_key,
)
from cutpurse_rules.errors import BadDraw

ROOT = Path(__file__).parents[2]
KEY = key_of_seed("118")


def vectors() -> dict[str, Any]:
    """The vectors of docs/notation.md: its first block of JSON."""
    block = re.search(r"```json\n(.*?)```", (ROOT / "docs/notation.md").read_text("utf-8"), re.DOTALL)
    assert block is not None
    found: dict[str, Any] = json.loads(block[1])
    return found


VECTORS = vectors()


def written_anew(key: bytes, label: str, bounds: list[int]) -> list[int]:
    """The document's steps 2 and 3, written a second time in the plainest way."""
    numbers = []
    words = (
        int.from_bytes(sha256(key + label.encode() + counter.to_bytes(8, "big")).digest()[at : at + 4], "big")
        for counter in itertools.count()
        for at in range(0, 32, 4)
    )
    for bound in bounds:
        if bound == 1:
            numbers.append(0)
            continue
        word = next(words)
        while word >= 2**32 - 2**32 % bound:
            word = next(words)
        numbers.append(word % bound)
    return numbers


def test_the_documents_keys_and_blocks() -> None:
    assert KEY.hex() == VECTORS["key"]
    assert key_of_seed(VECTORS["seed"]) == KEY
    assert key_of_seed("Räuber").hex() == VECTORS["key of seed Räuber"]
    assert sub_key(KEY, "bot/0").hex() == VECTORS["sub-key bot/0"]
    for counter in (0, 1):
        block = sha256(KEY + b"deck" + counter.to_bytes(8, "big")).hexdigest()
        assert block == VECTORS[f"block {counter} of deck"]
    assert written_anew(KEY, "deck", [2**32] * 10) == VECTORS["first words of deck"]


class Numbers(list[str]):
    """A sequence that claims a length without holding so many cards."""

    def __init__(self, length: int) -> None:
        super().__init__()
        self.length = length

    def __len__(self) -> int:
        return self.length


def test_the_documents_numbers_below_a_bound() -> None:
    for line in VECTORS["below"]:
        assert written_anew(KEY, line["label"], [line["bound"]]) == [line["result"]]
        assert StreamChance(KEY).pick(line["label"], Numbers(line["bound"])) == line["result"]


def test_the_documents_shuffle_and_pick() -> None:
    ten, five = [str(card) for card in range(10)], list("abcde")

    assert StreamChance(KEY).shuffle("order", ten) == VECTORS["order of ten cards by label order"]
    assert StreamChance(KEY).pick("sharp/1", five) == VECTORS["place of the pick from five cards by label sharp/1"]


def test_the_documents_deal() -> None:
    game = GAMES["art_robbery"]
    recorded = RecordedChance(StreamChance(KEY))

    game.begin(game.configure(2), recorded)

    (draw,) = recorded.take()
    assert (draw.label, draw.kind) == ("deck", "shuffle")
    assert " ".join(draw.outcome) == VECTORS["draw deck of art_robbery"]


def shuffled_anew(label: str, cards: int) -> list[int]:
    """The document's step 4."""
    order = list(range(cards))
    numbers = written_anew(KEY, label, list(range(cards, 1, -1)))
    for last, chosen in zip(range(cards - 1, 0, -1), numbers, strict=True):
        order[last], order[chosen] = order[chosen], order[last]
    return order


@pytest.mark.parametrize("cards", [1, 2, 3, 7, 55, 117, 256, 257, 300])
def test_a_shuffle_is_the_documents_steps_written_anew(cards: int) -> None:
    expected = shuffled_anew("label/7", cards)

    assert list(StreamChance(KEY).shuffle("label/7", [""] * cards)) == expected


def test_a_shuffle_passes_over_a_word_that_is_too_large() -> None:
    # Found by trying labels: word 58 of this one belongs to the bound 197.
    label, cards = "rejected/39633", 255
    assert written_anew(KEY, label, [2**32] * 59)[58] >= 2**32 - 2**32 % 197

    assert list(StreamChance(KEY).shuffle(label, [""] * cards)) == shuffled_anew(label, cards)


def within_chance(counts: Counter[Any], kinds: int) -> bool:
    """Whether counts are as even as chance leaves them: chi-square below its mean plus five deviations."""
    expected = counts.total() / kinds
    square = sum((count - expected) ** 2 / expected for count in counts.values())
    square += (kinds - len(counts)) * expected
    freedom = kinds - 1
    return square < freedom + 5 * math.sqrt(2 * freedom)


def test_every_order_is_equally_likely() -> None:
    chance = StreamChance(KEY)

    orders = Counter(tuple(chance.shuffle(f"deck/{number}", "abcd")) for number in range(12_000))

    assert len(orders) == 24
    assert within_chance(orders, 24)


def test_every_card_is_equally_likely_to_be_picked() -> None:
    chance = StreamChance(KEY)

    assert within_chance(Counter(chance.pick(f"pick/{number}", "abcdefg") for number in range(14_000)), 7)


def test_uneven_counts_would_be_noticed() -> None:
    assert not within_chance(Counter({0: 2_300, 1: 2_000, 2: 1_700}), 3)
    assert not within_chance(Counter({0: 3_000, 1: 3_000}), 3)


def test_labels_and_keys_are_independent() -> None:
    pairs = Counter(
        (StreamChance(key_of_seed(str(seed))).pick("a", "abc"), StreamChance(key_of_seed(str(seed))).pick("b", "abc"))
        for seed in range(9_000)
    )
    keys = Counter(
        (StreamChance(key_of_seed(str(seed))).pick("a", "abc"), StreamChance(key_of_seed(f"{seed}'")).pick("a", "abc"))
        for seed in range(9_000)
    )

    assert within_chance(pairs, 9)
    assert within_chance(keys, 9)


def test_no_draw_shifts_another() -> None:
    alone = StreamChance(KEY).shuffle("b", "abcdefgh")
    chance = StreamChance(KEY)
    chance.shuffle("a", "abcdefghijklm")

    assert chance.shuffle("b", "abcdefgh") == alone


def test_one_card_consumes_nothing_and_no_card_is_no_draw() -> None:
    assert StreamChance(KEY).shuffle("deck", ["N0"]) == [0]
    assert StreamChance(KEY).pick("deck", ["N0"]) == 0
    with pytest.raises(AssertionError):
        StreamChance(KEY).shuffle("deck", [])


def test_keys_have_their_length_and_labels_are_printable_ascii() -> None:
    assert len(KEY) == len(sub_key(KEY, "state")) == KEY_BYTES
    for label in ("bot/é", "bot\x00", "bot\n"):
        with pytest.raises(AssertionError):
            sub_key(KEY, label)
    with pytest.raises(AssertionError):
        StreamChance(b"short")


def test_a_script_gives_its_outcomes_also_with_equal_cards() -> None:
    chance = ScriptedChance([Draw("deck", "shuffle", ("N1", "N0", "N1")), Draw("sharp/1", "pick", ("N1",))])

    order = chance.shuffle("deck", ["N0", "N1", "N1"])

    assert [["N0", "N1", "N1"][place] for place in order] == ["N1", "N0", "N1"]
    assert sorted(order) == [0, 1, 2]
    assert chance.pick("sharp/1", ["N0", "N1", "N1"]) == 1


def test_what_the_script_lacks_comes_from_the_stream_if_there_is_one() -> None:
    script = [Draw("deck", "shuffle", ("N1", "N0"))]
    cards = ["N0", "N1", "GD"]

    rest = ScriptedChance(script, otherwise=StreamChance(KEY))

    assert rest.shuffle("reshuffle/1", cards) == StreamChance(KEY).shuffle("reshuffle/1", cards)
    assert rest.pick("sharp/1", cards) == StreamChance(KEY).pick("sharp/1", cards)
    for ask in (ScriptedChance(script).shuffle, ScriptedChance(script).pick):
        with pytest.raises(BadDraw, match="draw reshuffle/1: the script has no such draw; add it, or give a seed"):
            ask("reshuffle/1", cards)


@pytest.mark.parametrize("outcome", [(), ("N0",), ("N0", "N0"), ("N0", "N1", "N1"), ("N0", "GD"), ("N0", "N9")])
def test_a_scripted_order_of_other_cards_is_refused(outcome: tuple[str, ...]) -> None:
    with pytest.raises(BadDraw, match=r"draw deck: .* not an order of the 2 cards") as refused:
        ScriptedChance([Draw("deck", "shuffle", outcome)]).shuffle("deck", ["N0", "N1"])
    assert refused.value.label == "deck"


@pytest.mark.parametrize("outcome", [(), ("GD",), ("N0", "N1")])
def test_a_scripted_pick_of_another_card_is_refused(outcome: tuple[str, ...]) -> None:
    with pytest.raises(BadDraw, match=r"draw sharp/1: .* not one of the 2 cards"):
        ScriptedChance([Draw("sharp/1", "pick", outcome)]).pick("sharp/1", ["N0", "N1"])


def test_a_scripted_draw_of_the_other_kind_is_refused() -> None:
    with pytest.raises(BadDraw):
        ScriptedChance([Draw("deck", "pick", ("N0",))]).shuffle("deck", ["N0"])
    with pytest.raises(BadDraw):
        ScriptedChance([Draw("sharp/1", "shuffle", ("N0",))]).pick("sharp/1", ["N0"])


def test_a_record_keeps_draws_in_their_order_until_they_are_taken() -> None:
    recorded = RecordedChance(ScriptedChance([Draw("b", "shuffle", ("N1", "N0")), Draw("a", "pick", ("N1",))]))

    recorded.shuffle("b", ["N0", "N1"])
    recorded.pick("a", ["N0", "N1"])

    assert recorded.take() == (Draw("b", "shuffle", ("N1", "N0")), Draw("a", "pick", ("N1",)))
    assert recorded.take() == ()
