"""Set-up matches that force what random ones rarely bring: the engine's trace holds before the oracle each time.

Every test also says what must have happened, so that engine and oracle cannot agree by both passing it by.
"""

import pytest

from tests.rules.oracle.big_max_matches import IDLE, RICH, Line, decisions, draw, labels, played, result, table


@pytest.mark.parametrize("players", range(3, 9))
def test_r5_a_payment_travels_round_the_whole_table(players: int) -> None:
    last = players - 1
    hands = ["T3 H2 H2 H2 H2 H2", *["T2 H2 H2 H2 H2 H2"] * (players - 2), "SC H2 H2 H2 H2 H2"]
    intents = {seat: [f"challenge {seat - 1} T2"] for seat in range(1, last)}
    intents |= {0: ["discard H2", f"challenge {last} T3"], last: ["display"]}

    lines = played(hands, "H2 " * 20, intents, players + 1)

    # Each seat but the last two has a thief of the next one in front of it; the suitcase wanders along them all.
    assert all(table(decisions(lines, "TURN")[-1])["standing"][seat] for seat in range(last - 1))
    assert table(lines[-1])["displays"] == [0] * (last - 1) + [1, 0]
    assert table(lines[-1])["standing"] == [[] for _ in range(players)]


def test_r5_a_payment_can_come_back_to_the_seat_that_was_robbed() -> None:
    hands = ["T3 H2 H2 H2 H2 H2", IDLE, "T2 SC H2 H2 H2 H2"]
    intents = {0: ["discard H2", "discard H2", "challenge 2 T3"], 2: ["challenge 0 T2", "display"]}

    lines = played(hands, "H2 " * 9, intents, 7)

    assert table(lines[-1])["displays"] == [0, 0, 1]
    assert table(lines[-1])["standing"] == [[], [], []]
    assert table(lines[-1])["discards"].count("T3") == table(lines[-1])["discards"].count("T2") == 1


def test_r5_a_suitcase_gained_by_a_gunman_is_paid_on_and_the_oldest_thief_takes_it() -> None:
    hands = ["T2 SC T4 H2 H2 H2", "GM H2 H2 H2 H2 H2", "T3 H2 H2 H2 H2 H2"]
    intents = {
        0: ["challenge 1 T2", "display", "challenge 1 T4"],
        1: ["decline", "discard H2", "decline", "discard H2", "gunman"],
        2: ["challenge 1 T3"],
    }

    lines = played(hands, "H2 " * 12, intents, 7)

    # Seat 1 has thieves of seats 0 and 2; what it takes from seat 0 goes straight back to seat 0, the older employer.
    assert table(lines[-1])["displays"] == [1, 0, 0]
    assert table(lines[-1])["standing"] == [[], [{"card": "T3", "employer": 2, "gunmen": 0}], []]


def test_r3_a_sixth_suitcase_is_discarded() -> None:
    hands = [RICH, "SC H2 H2 H2 H2 H2", IDLE]
    intents = {0: ["display"] * 5 + ["challenge 1 T6"], 1: ["display"]}

    lines = played(hands, "H2 " * 20, intents, 16)

    assert table(lines[-1])["displays"] == [5, 0, 0]
    assert table(lines[-1])["discards"].count("SC") == 1


def test_r3_a_payment_to_a_seat_with_five_is_discarded() -> None:
    hands = [RICH, "T5 H2 H2 H2 H2 H2", "SC H2 H2 H2 H2 H2"]
    intents = {
        0: ["display"] * 5 + ["challenge 1 T6"],
        1: ["discard H2"] * 5 + ["decline", "challenge 2 T5"],
        2: ["display"],
    }

    lines = played(hands, "H2 " * 20, intents, 17)

    assert table(lines[-1])["displays"] == [5, 0, 0]
    assert table(lines[-1])["standing"] == [[], [], []]
    assert table(lines[-1])["discards"].count("SC") == 1


def test_r3_a_seat_robbed_of_one_of_five_gets_it_back_as_its_fifth() -> None:
    hands = [RICH, "T5 H2 H2 H2 H2 H2", IDLE]
    intents = {
        0: ["display"] * 5 + ["challenge 1 T6"],
        1: ["discard H2"] * 5 + ["decline", "challenge 0 T5"],
    }

    lines = played(hands, "H2 " * 20, intents, 17)

    assert table(lines[-1])["displays"] == [5, 0, 0]
    assert "SC" not in table(lines[-1])["discards"]


SPENT = ["SC SC SC SC SC T6", "T2 H2 H2 H2 H2 H2", "CS H2 H2 H2 H2 H2"]
"""With no pile: seat 0 lays down all it has, and nothing is left for it to draw."""
SPENDING = {0: ["display"] * 5 + ["challenge 1 T6"], 1: ["discard H2"] * 5 + ["challenge 0 T2"], 2: ["discard H2"] * 9}


@pytest.mark.parametrize(("auto_play_forced", "cause"), [(True, "FORCED"), (False, "CHOSEN")])
def test_g5_only_the_decline_of_an_empty_hand_is_forced(auto_play_forced: bool, cause: str) -> None:
    lines = played(SPENT, "", SPENDING, 17, auto_play_forced=auto_play_forced)

    (decline,) = [line for line in lines if line["type"] == "choices" and line["choices"].get("0") == "decline"]
    assert decline["cause"] == {"0": cause}
    assert {line["cause"].get("1") for line in lines if line["type"] == "choices"} == {None, "CHOSEN"}
    # The suitcase goes to seat 1, and for the thief in front of it back to seat 0 as its fifth.
    assert table(lines[-1])["displays"] == [5, 0, 0]


def test_r10_an_empty_hand_is_skipped_and_cannot_be_sharped() -> None:
    lines = played(SPENT, "", SPENDING, 21)

    turns = [table(line)["turn"] for line in decisions(lines, "TURN")]
    assert turns == [*range(1, 19), 20, 21]
    sharps = {
        line["number"]: [each for each in line["legal"].get("2", []) if "sharp" in each]
        for line in decisions(lines, "TURN")
    }
    assert list(sharps.values())[17] == ["sharp 1"]
    assert list(sharps.values())[2] == ["sharp 0", "sharp 1"]


def test_r8_a_skipped_turn_can_be_the_last() -> None:
    lines = played(SPENT, "", SPENDING, 22)

    assert table(decisions(lines, "TURN")[-1])["turn"] == 21
    assert (table(lines[-1])["turn"], table(lines[-1])["turn_seat"]) == (22, 0)
    assert result(lines) == ("STALLED", [5, 0, 0], [1, 2, 2])


def test_r1_r11_r12_r13_who_draws_when_pile_and_discards_are_short() -> None:
    hands = ["T2 GM H3 H3 H3 H3", "GM H2 H4 H4 H4 H4", "CS H6 H6 H6 H6 H6"]
    intents = {0: ["challenge 1 T2", "gunman", "discard H3"], 1: ["gunman", "counter H2", "discard H4"], 2: ["sharp 0"]}

    lines = played(hands, "", intents, 4, draws={"sharp/1": "H3"})

    # In the challenge nothing can be drawn until the counter discards all four; then only the target draws, two cards.
    sizes = [table(line)["hand_sizes"] for line in lines if line["type"] == "decision"]
    assert sizes == [[6, 6, 6], [5, 6, 6], [5, 5, 6], [4, 5, 6], [4, 6, 6], [4, 6, 6], [4, 6, 6]]
    assert sorted(draw(lines, "reshuffle/1")["outcome"]) == ["GM", "GM", "H2", "T2"]
    # The card-sharp's victim draws one and no more; on its own turn it draws three, all that there is.
    assert table(lines[-1])["hand_sizes"] == [6, 6, 6]
    assert len(draw(lines, "reshuffle/2")["outcome"]) == 3
    assert table(lines[-1])["pile_size"] == 0


def test_a_refill_goes_on_from_the_discards_when_the_pile_runs_out_within_it() -> None:
    hands = ["T2 GM GM H3 H3 H3", "GM GM H2 H4 H4 H4", IDLE]
    intents = {
        0: ["challenge 1 T2", "gunman", "gunman", "discard H3"],
        1: ["gunman", "gunman", "counter H2", "discard H4"],
    }

    lines = played(hands, "", intents, 4)

    assert labels(lines) == ["reshuffle/1", "reshuffle/2"]
    assert table(decisions(lines, "TURN")[-1])["pile_size"] == 1
    assert table(decisions(lines, "TURN")[-1])["hand_sizes"] == [3, 6, 6]
    assert table(lines[-1])["hand_sizes"] == [6, 6, 6]


def test_r11_r13_a_victim_may_draw_the_very_card_sharp() -> None:
    hands = ["CS H2 H2 H2 H2 H2", "SC H3 H3 H3 H3 H3", IDLE]

    lines = played(hands, "", {0: ["sharp 1"]}, 1, draws={"sharp/1": "SC"})

    assert draw(lines, "reshuffle/1")["outcome"] == ["CS"]
    assert lines[-1]["views"]["1"]["hand"] == ["H3", "H3", "H3", "H3", "H3", "CS"]
    assert lines[-1]["views"]["0"]["sharps"] == [{"from": 1, "to": 0, "card": "SC"}]


@pytest.mark.parametrize("gunmen", [11, 12])
def test_a_long_chain_of_gunmen_stands_as_one_thief(gunmen: int) -> None:
    hands = ["T2 GM GM GM GM MT", "GM GM GM GM GM MT", IDLE]
    # The last to play a gunman is the employer in the end.
    target = gunmen % 2 == 0
    intents = {
        0: ["challenge 1 T2", *["gunman"] * (gunmen // 2), "discard GM" if target else "counter 0 MT"],
        1: ["gunman"] * (gunmen - gunmen // 2) + ["counter 0 MT" if target else "discard GM"],
    }

    lines = played(hands, "GM " * 16, intents, 4)

    standing = table(decisions(lines, "TURN")[1])["standing"]
    thief = {"card": "T2", "employer": 0 if target else 1, "gunmen": gunmen}
    assert standing[1 if target else 0] == [thief]
    assert table(lines[-1])["standing"] == [[], [], []]
    assert table(lines[-1])["discards"].count("GM") >= gunmen


def test_g4_of_neighbours_that_are_alike_only_the_first_is_named() -> None:
    hands = ["GM MT H2 H2 H2 H2", "T2 T2 T2 T2 T3 GM", "T2 T2 T2 H2 H2 H2"]
    intents = {
        0: ["discard H2"] * 4 + ["counter 2 MT", "counter 0 H2", *["decline"] * 4, "gunman"],
        1: ["challenge 0 T2", "challenge 0 T2", "challenge 0 T3", "challenge 0 T2", "gunman"],
        2: ["discard H2", "challenge 0 T2", "discard H2", "challenge 0 T2"],
    }

    lines = played(hands, "H2 " * 30, intents, 16)

    third, last = [line for line in decisions(lines, "TURN") if line["asked"] == [0]][-2:]
    thieves = [("T2", 1, 0), ("T2", 1, 0), ("T2", 2, 0), ("T3", 1, 0), ("T2", 1, 2), ("T2", 2, 0)]
    assert [
        tuple(thief[key] for key in ("card", "employer", "gunmen")) for thief in table(third)["standing"][0]
    ] == thieves
    assert counters(third) == ["0 MT", "0 H2", "2 MT", "2 H2", "3 MT", "4 MT", "4 H2", "5 MT", "5 H2"]
    assert counters(last) == ["0 H2", "3 H2", "4 H2"]
    assert len(table(lines[-1])["standing"][0]) == 4


def counters(line: Line) -> list[str]:
    """The positions and cards with which the asked seat may counter."""
    (seat,) = line["asked"]
    return [action.removeprefix("counter ") for action in line["legal"][str(seat)] if action.startswith("counter")]


def test_r4_a_gunman_does_nothing_against_a_standing_thief() -> None:
    hands = ["GM GM GM GM GM GM", "T2 H2 H2 H2 H2 H2", IDLE]

    lines = played(hands, "GM " * 8, {1: ["challenge 0 T2"]}, 4)

    turn = decisions(lines, "TURN")[-1]
    assert table(turn)["standing"][0]
    assert turn["legal"] == {"0": ["discard GM"]}
