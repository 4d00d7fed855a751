"""Set-up matches that are won in every way there is (R6, R7): the engine's trace holds before the oracle each time.

Every test also says what must have happened, so that engine and oracle cannot agree by both passing it by.
"""

from tests.rules.oracle.big_max_matches import IDLE, RICH, decisions, draw, played, result, table

WON = ("WON", [10, 0, 0], [1, 2, 2])


def test_r6_the_fifth_display_wins_before_anything_is_drawn() -> None:
    lines = played(["SC SC SC SC SC MT", IDLE, IDLE], "H2 " * 20, {0: ["display"] * 5}, 99)

    assert result(lines) == WON
    assert table(lines[-1])["hand_sizes"] == [5, 6, 6]


def test_r6_a_master_thief_drawn_on_the_own_turn_wins_and_ends_the_refill() -> None:
    intents = {0: ["display"] * 5 + ["discard T6"]}

    lines = played([RICH, IDLE, IDLE], "H2 " * 15 + "MT H2", intents, 99)

    assert result(lines) == WON
    assert table(lines[-1])["pile_size"] == 1
    assert lines[-1]["views"]["0"]["hand"].count("MT") == 1


def test_r6_a_counter_on_somebody_elses_turn_wins_with_the_card_drawn_for_it() -> None:
    hands = [RICH, "T2 H2 H2 H2 H2 H2", IDLE]
    intents = {0: ["display"] * 5 + ["counter H2"], 1: ["discard H2"] * 4 + ["challenge 0 T2"]}

    lines = played(hands, "H2 " * 14 + "MT H2", intents, 99)

    assert result(lines) == WON
    assert table(lines[-1])["turn_seat"] == 1
    assert table(lines[-1])["challenge"] is None
    assert sorted(table(lines[-1])["discards"])[-1] == "T2"


def test_r6_a_win_by_the_card_drawn_for_a_gunman_leaves_the_challenge_on_the_table() -> None:
    hands = ["SC SC SC SC SC GM", "T2 H2 H2 H2 H2 H2", IDLE]
    intents = {0: ["display"] * 5 + ["gunman"], 1: ["discard H2"] * 4 + ["challenge 0 T2"]}

    lines = played(hands, "H2 " * 14 + "MT H2", intents, 99)

    assert result(lines) == WON
    challenge = {"card": "T2", "challenger": 1, "employer": 0, "gunmen": 1, "target": 1}
    assert table(lines[-1])["challenge"] == challenge
    assert table(lines[-1])["asked"] == []
    assert table(lines[-1])["step"] == "OVER"


def test_r6_a_win_by_the_card_drawn_for_a_thief_leaves_the_challenge_on_the_table() -> None:
    intents = {0: ["display"] * 5 + ["challenge 2 T6"]}

    lines = played([RICH, IDLE, IDLE], "H2 " * 15 + "MT H2", intents, 99)

    assert result(lines) == WON
    challenge = {"card": "T6", "challenger": 0, "employer": 0, "gunmen": 0, "target": 2}
    assert table(lines[-1])["challenge"] == challenge


def test_r6_a_master_thief_taken_by_a_card_sharp_wins_and_the_victim_draws_nothing() -> None:
    hands = ["SC SC SC SC SC CS", "MT H2 H2 H2 H2 H2", IDLE]
    intents = {0: ["display"] * 5 + ["sharp 1"], 1: ["discard H2"] * 5}

    lines = played(hands, "H2 " * 20, intents, 99, draws={"sharp/1": "MT"})

    assert result(lines) == WON
    assert table(lines[-1])["hand_sizes"] == [6, 5, 6]
    assert [bool(lines[-1]["views"][str(seat)]["sharps"]) for seat in range(3)] == [True, True, False]


def test_r6_the_victim_of_a_card_sharp_wins_by_its_one_card() -> None:
    hands = [RICH, "CS H2 H2 H2 H2 H2", IDLE]
    intents = {0: ["display"] * 5, 1: ["discard H2"] * 4 + ["sharp 0"]}

    lines = played(hands, "H2 " * 13 + "MT H2", intents, 99, draws={"sharp/1": "T6"})

    assert result(lines) == WON
    assert table(lines[-1])["turn_seat"] == 1


NEARLY_RICH = "SC SC SC SC MT T6"


def test_r6_a_stolen_fifth_suitcase_wins() -> None:
    hands = [NEARLY_RICH, "SC H2 H2 H2 H2 H2", IDLE]
    intents = {0: ["display"] * 4 + ["challenge 1 T6"], 1: ["display"]}

    lines = played(hands, "H2 " * 20, intents, 99)

    assert result(lines) == WON
    assert table(lines[-1])["challenge"] is None
    assert "T6" in table(lines[-1])["discards"]


def test_r6_a_fifth_suitcase_gained_by_a_gunman_wins_on_somebody_elses_turn() -> None:
    hands = ["SC SC SC SC MT GM", "SC T2 H2 H2 H2 H2", IDLE]
    intents = {0: ["display"] * 4 + ["gunman"], 1: ["display", *["discard H2"] * 2, "challenge 0 T2"]}

    lines = played(hands, "H2 " * 20, intents, 99)

    assert result(lines) == WON
    assert table(lines[-1])["turn_seat"] == 1


def test_r6_a_payment_on_somebody_elses_turn_wins() -> None:
    hands = [NEARLY_RICH, "T5 H2 H2 H2 H2 H2", "SC H2 H2 H2 H2 H2"]
    intents = {
        0: ["display"] * 4 + ["challenge 1 T6"],
        1: ["discard H2"] * 4 + ["challenge 2 T5"],
        2: ["display"],
    }

    lines = played(hands, "H2 " * 20, intents, 99)

    assert result(lines) == WON
    assert table(lines[-1])["turn_seat"] == 1
    assert table(lines[-1])["standing"] == [[], [], []]


def test_r6_a_card_from_a_reshuffle_in_the_middle_of_a_challenge_wins() -> None:
    hands = [RICH, "MT T2 H2 H2 H2 H2", IDLE]
    intents = {
        0: ["display"] * 5 + ["counter H2"],
        1: ["discard MT", *["discard H2"] * 3, "challenge 0 T2"],
    }

    # The pile is empty after the fifth display, so the challenger's refill shuffles; T2 is on the table meanwhile.
    order = "H2 MT H2 H2 H2 H2 H2 H2"
    lines = played(hands, "H2 " * 13, intents, 99, draws={"reshuffle/1": order})

    assert result(lines) == WON
    assert draw(lines, "reshuffle/1")["outcome"] == order.split()
    assert table(lines[-1])["discards"] == ["H2", "T2"]


def test_r7_the_others_share_places_by_suitcases() -> None:
    hands = ["SC SC SC SC SC MT", "SC SC SC SC SC T6", "SC H2 H2 H2 H2 H2", "SC T3 H2 H2 H2 H2", IDLE]
    intents = {0: ["discard SC", *["display"] * 5], 1: ["display"] * 5, 2: ["display"], 3: ["display"]}

    lines = played(hands, "SC " + "H2 " * 40, intents, 99)

    # Seat 1 has five suitcases too, for one turn already.
    assert result(lines) == ("WON", [10, 5, 1, 1, 0], [1, 2, 3, 3, 5])


def test_with_the_option_the_master_thief_wins_only_when_it_is_laid() -> None:
    hands = ["SC SC SC SC SC MT", IDLE, IDLE]
    intents = {0: ["display"] * 5 + ["discard H2", "lay"]}

    lines = played(hands, "H2 " * 30, intents, 99, master_thief_must_be_laid=True)

    assert result(lines) == WON
    offered = [line["number"] for line in decisions(lines, "TURN") if "lay" in line["legal"].get("0", [])]
    assert offered == [16, 19]
    assert table(lines[-1])["discards"].count("MT") == 1
    assert table(lines[-1])["hand_sizes"] == [5, 6, 6]
