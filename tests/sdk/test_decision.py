"""What a bot holds in its hands: nothing can be changed, chance is repeatable, missing forms are named."""

import pytest

import cutpurse_sdk
from cutpurse.v1 import art_robbery_pb2, game_pb2, match_pb2
from cutpurse_sdk.decision import Randomness
from tests.sdk.scripted import decision as message_of
from tests.sdk.scripted import offer


def given(message: match_pb2.Decision, seed: str | None = "s") -> cutpurse_sdk.Decision:
    return cutpurse_sdk.Decision(message, offer(message.match), Randomness(seed))


def test_everything_that_a_seat_is_told_has_a_name() -> None:
    message = message_of("m", 3, decision_ms_left=900, bank_ms_left=4000, last_charged_ms=12, corrections_left=0)

    decision = given(message)

    assert (decision.match, decision.decision, decision.seat, decision.players) == ("m", 3, 0, 2)
    assert (decision.decision_ms_left, decision.bank_ms_left, decision.last_charged_ms) == (900, 4000, 12)
    assert decision.corrections_left == 0
    assert given(message_of("m", 3)).corrections_left is None
    assert decision.game == "art_robbery"
    assert decision.view == message.view.art_robbery
    assert isinstance(decision.view, art_robbery_pb2.ArtRobberyView)
    assert decision.legal == ("play GD", "play BS")
    assert repr(decision).startswith("Decision(match='m', decision=3, game='art_robbery', seat=0")


@pytest.mark.parametrize("name", ["match", "legal", "message", "offer", "random", "something_else"])
def test_a_decision_cannot_be_changed(name: str) -> None:
    decision = given(message_of("m", 1))

    with pytest.raises(AttributeError):
        setattr(decision, name, None)
    with pytest.raises(AttributeError):
        delattr(decision, name)


def test_chance_depends_on_seed_match_seat_and_decision_alone() -> None:
    def drawn(seed: str | None, match: str, seat: int, number: int) -> int:
        message = message_of(match, number)
        message.seat = seat
        return given(message, seed).random.getrandbits(64)

    cases = [("s", "m", 0, 1), ("t", "m", 0, 1), ("s", "n", 0, 1), ("s", "m", 1, 1), ("s", "m", 0, 2), ("", "m", 0, 1)]
    assert [drawn(*case) for case in cases] == [drawn(*case) for case in cases]
    assert len({drawn(*case) for case in cases}) == len(cases)
    # Pinned, so that an upgrade of the SDK does not make a bot play differently.
    assert drawn("s", "m", 0, 1) == 17682761734951953775


def test_without_a_seed_every_process_plays_differently() -> None:
    message = message_of("m", 1)

    assert given(message, None).random.getrandbits(64) != given(message, None).random.getrandbits(64)


def test_chance_goes_on_within_one_decision() -> None:
    decision = given(message_of("m", 1))

    assert decision.random.getrandbits(64) != decision.random.getrandbits(64)


def test_typed_actions_that_were_not_asked_for_are_missed_loudly() -> None:
    with pytest.raises(cutpurse_sdk.DecisionUnreadable, match="legal_actions=True"):
        _ = given(message_of("m", 1)).legal_actions

    typed = game_pb2.Action(art_robbery=art_robbery_pb2.ArtRobberyAction(give_dog=art_robbery_pb2.ArtRobberyGiveDog()))
    assert list(given(message_of("m", 1, legal_actions=[typed])).legal_actions) == [typed]


def test_a_game_of_a_newer_protocol_can_still_be_played_by_notation() -> None:
    message = message_of("m", 1)
    message.view.Clear()

    decision = given(message)

    assert decision.game == "art_robbery"
    assert decision.legal == ("play GD", "play BS")
    with pytest.raises(cutpurse_sdk.DecisionUnreadable, match="upgrade"):
        _ = decision.view
