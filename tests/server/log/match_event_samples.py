"""One fixed event of every kind, and strategies for all events that can be."""

from __future__ import annotations

from hypothesis import strategies as st

from cutpurse_rules.contract import EndReason, Seat
from cutpurse_rules.errors import Reason
from cutpurse_server.matches.events import (
    Cause,
    ChoiceDefaulted,
    ChoiceMade,
    ChoiceRefused,
    Clock,
    ClockCredited,
    ClocksStarted,
    DecisionOpened,
    DecisionResolved,
    MatchBegun,
    MatchEnded,
    MatchEvent,
    MatchOutcome,
    MatchVoided,
    Origin,
    ResolvedChoice,
    SeatForfeited,
    SeatIdentity,
    SeatReady,
    Signature,
    VoidCause,
)

KEY = bytes(range(32))
DIGEST = bytes(range(32, 64))
STATE_HASH = bytes(range(64, 96))
AT_MS = 1_796_000_000_000

SAMPLES: list[MatchEvent] = [
    MatchBegun(
        match="m-1",
        game="art_robbery",
        options={"auto_play_forced": True, "deck": {"GD": 2, "N0": 6}, "heist_turn_limit": 30},
        clock=Clock(),
        rules_version="1",
        engine_version="0.1.0",
        players=2,
        rated=True,
        at_ms=AT_MS,
        warm_up_until_ms=AT_MS + 30_000,
        manifest_hash=bytes(range(100, 132)),
        key=KEY,
        seed="a seed",
        seats=(SeatIdentity("greedy", "ada"), SeatIdentity("person", "bob", player=True)),
        origin=Origin("t-1", 2, 3, 1, 1, 17),
        request_digest=DIGEST,
    ),
    SeatReady(Seat(1), AT_MS),
    ClocksStarted(AT_MS),
    DecisionOpened(300, (Seat(0), Seat(2)), AT_MS),
    ChoiceMade(
        number=300,
        seat=Seat(2),
        notation="play N3 take 3.0 from middle",
        cause=Cause.CHOSEN,
        received_at_ms=AT_MS + 120,
        charged_ms=20,
        bank_charged_ms=7,
        request_id=b"request 1",
        request_digest=DIGEST,
        signature=Signature(b"p" * 32, b"s" * 64, b"t" * 32),
    ),
    ChoiceRefused(300, Seat(2), Cause.ILLEGAL, "play N9", AT_MS, Reason.CARD_NOT_HELD, b"request 2", DIGEST),
    ChoiceDefaulted(300, Seat(2), "play GD", Cause.TIMEOUT, AT_MS, 60_000, strike=True),
    ClockCredited(300, 1_500, AT_MS, "no replica was running"),
    SeatForfeited(300, Seat(2), Cause.DISCONNECTED, AT_MS),
    DecisionResolved(
        300,
        (ResolvedChoice(Seat(0), "give tile", Cause.FORCED), ResolvedChoice(Seat(2), "play GD", Cause.TIMEOUT)),
        STATE_HASH,
    ),
    MatchVoided(VoidCause.ABORTED, "a person stumbled over the cable", AT_MS),
    MatchEnded(
        MatchOutcome((12, -3), (1, 2), EndReason.COMPLETED, (1,), (2, 1)), AT_MS, STATE_HASH, (59_000, 0), (0, 3)
    ),
]

_numbers = st.integers(0, 2**32 - 1)
_times = st.integers(0, 2**53)
_seats = st.integers(0, 2**32 - 1).map(Seat)
_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
_bytes = st.binary(max_size=80)
_hashes = st.binary(min_size=32, max_size=32)
_causes = st.sampled_from(Cause)
_booleans = st.booleans()
_options = st.dictionaries(
    _texts, st.booleans() | st.integers(-(2**63), 2**63) | st.dictionaries(_texts, st.integers(0, 99)), max_size=4
)


def _tuples_of(each: st.SearchStrategy[int]) -> st.SearchStrategy[tuple[int, ...]]:
    return st.lists(each, max_size=6).map(tuple)


_signatures = st.none() | st.builds(Signature, _bytes, _bytes, _bytes)
_outcomes = st.builds(
    MatchOutcome,
    _tuples_of(st.integers(-(2**31), 2**31 - 1)),
    _tuples_of(_numbers),
    st.sampled_from(EndReason),
    _tuples_of(_numbers),
    _tuples_of(_numbers),
)
_resolved = st.lists(st.builds(ResolvedChoice, _seats, _texts, _causes), max_size=8).map(tuple)

EVENTS: dict[type, st.SearchStrategy[MatchEvent]] = {
    MatchBegun: st.builds(
        MatchBegun,
        match=_texts,
        game=_texts,
        options=_options,
        clock=st.builds(Clock, *[_numbers] * len(Clock._fields)),
        rules_version=_texts,
        engine_version=_texts,
        players=_numbers,
        rated=_booleans,
        at_ms=_times,
        warm_up_until_ms=_times,
        manifest_hash=_bytes,
        key=_bytes,
        seed=_texts,
        seats=st.lists(st.builds(SeatIdentity, _texts, _texts, _booleans), max_size=8).map(tuple),
        origin=st.none() | st.builds(Origin, _texts, *[_numbers] * 5),
        request_digest=_bytes,
        quarantined=st.lists(_seats, max_size=8).map(tuple),
    ),
    SeatReady: st.builds(SeatReady, _seats, _times),
    ClocksStarted: st.builds(ClocksStarted, _times),
    DecisionOpened: st.builds(DecisionOpened, _numbers, st.lists(_seats, max_size=8).map(tuple), _times),
    ChoiceMade: st.builds(
        ChoiceMade, _numbers, _seats, _texts, _causes, _times, _numbers, _numbers, _bytes, _bytes, _signatures
    ),
    ChoiceRefused: st.builds(
        ChoiceRefused,
        _numbers,
        _seats,
        _causes,
        _texts,
        _times,
        st.none() | st.sampled_from(Reason),
        _bytes,
        _bytes,
    ),
    ChoiceDefaulted: st.builds(ChoiceDefaulted, _numbers, _seats, _texts, _causes, _times, _numbers, _booleans),
    ClockCredited: st.builds(ClockCredited, _numbers, _numbers, _times, _texts),
    SeatForfeited: st.builds(SeatForfeited, _numbers, _seats, _causes, _times),
    DecisionResolved: st.builds(DecisionResolved, _numbers, _resolved, _hashes),
    MatchVoided: st.builds(MatchVoided, st.sampled_from(VoidCause), _texts, _times),
    MatchEnded: st.builds(MatchEnded, _outcomes, _times, _bytes, _tuples_of(_numbers), _tuples_of(_numbers)),
}
"""How to make any event, by kind."""
