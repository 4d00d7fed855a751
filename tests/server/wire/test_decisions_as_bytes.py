"""What is joined from bytes for every decision is byte for byte what protobuf makes of the same messages."""

import itertools
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cutpurse.v1 import bot_pb2, match_pb2
from cutpurse_rules import GAMES
from cutpurse_rules.contract import Seat
from cutpurse_server.matches.beginning import begin_match
from cutpurse_server.matches.deciding import Answer, Draft, choose, get_ready
from cutpurse_server.matches.events import Clock, SeatIdentity
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.matches.replies import Accepted
from cutpurse_server.wire.decisions import accepted_to_frame, decision_to_frame
from cutpurse_server.wire.matches import accepted_to_proto, fill_decision
from cutpurse_server.wire.pieces import Numbers, Texts, content, moment, number, varint

BEGUN_MS = 1_796_000_000_000


def begun(game: str, players: int, seed: str) -> MatchRecord:
    """A match whose first decision is open; seat 0 is a person's."""
    seats = [SeatIdentity(f"bot-{seat}", "owner", player=seat == 0) for seat in range(players)]
    clock = Clock(decision_ms=700, bank_ms=20_000)
    record = MatchRecord(begin_match("a match", game, {}, clock, seats, BEGUN_MS, seed=seed))
    for seat in range(players):
        draft = Draft(record)
        get_ready(draft, Seat(seat), BEGUN_MS)
        record = draft.record
    return record


def answered(record: MatchRecord, seat: Seat, now_ms: int, position: int) -> MatchRecord:
    """The match after one answer."""
    draft = Draft(record)
    request = f"{seat} {record.decisions[seat]} {position}".encode()
    choose(draft, seat, Answer(record.decisions[seat], request, bytes(32), position, None), now_ms, now_ms)
    return draft.record


def by_protobuf(record: MatchRecord, seat: Seat, now_ms: int, *, typed: bool) -> bytes:
    """The same frame, made of messages."""
    frame = bot_pb2.ConnectResponse()
    fill_decision(record, seat, now_ms, frame.decisions.add(), typed=typed)
    return frame.SerializeToString(deterministic=True)


@pytest.mark.parametrize("game", sorted(GAMES))
def test_every_decision_of_a_match_is_what_protobuf_would_write(game: str) -> None:
    below = random.Random(game)
    compared = 0
    tables = range(GAMES[game].min_players, GAMES[game].max_players + 1)
    # Matches of some games have few decisions.
    for players, match in itertools.product(tables, range(5)):
        record = begun(game, players, f"{game} {players} {match}")
        now_ms = BEGUN_MS
        while not record.over and compared < 150 * players:
            now_ms += below.choice((0, 1, 150, 1_000))
            seat = below.choice(record.waiting())
            if below.random() < 0.1:
                # Refused: one correction less is left, and a person has no limit.
                record = answered(record, seat, now_ms, 1_000_000)
                continue
            for typed in (False, True):
                made = decision_to_frame(record, seat, now_ms, typed=typed)
                assert made == by_protobuf(record, seat, now_ms, typed=typed)
            compared += 1
            record = answered(record, seat, now_ms, below.randrange(len(record.legal_of(seat))))
    assert compared > 50


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1), st.integers(0, 2**32 - 1), st.binary(min_size=1))
def test_every_acknowledgement_is_what_protobuf_would_write(match: str, decision: int, request_id: bytes) -> None:
    reply = Accepted(decision, request_id)
    frame = bot_pb2.ConnectResponse(accepted=[accepted_to_proto(match, reply)])
    assert accepted_to_frame(match, reply) == frame.SerializeToString()


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**63 - 1), st.text(st.characters(exclude_categories=["Cs"])))
def test_pieces_are_what_protobuf_would_write(value: int, point_ms: int, written: str) -> None:
    choice, request_id = match_pb2.Choice(decision=value, match=written), written.encode()
    assert Texts(b"\x0a")[written] + Numbers(b"\x10")[value] == choice.SerializeToString()
    assert content(b"\x0a", request_id) + number(b"\x10", value) == choice.SerializeToString()
    assert decoded(varint(value)) == value
    assert decoded(moment(point_ms)) == point_ms


def decoded(varint_bytes: bytes) -> int:
    """The number of a varint."""
    return sum((byte & 0x7F) << (7 * place) for place, byte in enumerate(varint_bytes))


@pytest.mark.parametrize("value", [-1, 2**32])
def test_a_number_out_of_range_is_a_fault(value: int) -> None:
    with pytest.raises(ValueError, match="out of range"):
        number(b"\x08", value)


@pytest.mark.parametrize("value_ms", [-1, 2**63])
def test_a_point_in_time_out_of_range_is_a_fault(value_ms: int) -> None:
    with pytest.raises(ValueError, match="out of range"):
        moment(value_ms)


def test_texts_are_not_kept_without_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cutpurse_server.wire.pieces._FIELDS_MAX", 10)
    texts = Texts(b"\x0a")

    for each in range(25):
        assert texts[str(each)] == content(b"\x0a", str(each).encode())

    assert len(texts) <= 10
