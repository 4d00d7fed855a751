"""A tournament's events keep everything through the log, and what nobody may know yet stands in the secret part."""

from math import nan

import pytest

from cutpurse.v1 import tournament_log_pb2
from cutpurse_rules.contract import EndReason
from cutpurse_server.audit.sealed import opened
from cutpurse_server.audit.verdict import Wrong
from cutpurse_server.log.chain import commitment
from cutpurse_server.log.port import StoredEvent, UnreadableEvent
from cutpurse_server.matches.events import MatchOutcome, VoidCause
from cutpurse_server.tournaments.events import (
    BlockCompleted,
    BlockVoided,
    CompletedMatch,
    Entrant,
    EntrantEntered,
    Lot,
    RoundDrawn,
    Standing,
    TournamentCreated,
    TournamentEvent,
    TournamentFinished,
    TournamentStarted,
)
from cutpurse_server.wire import tournament_events
from cutpurse_server.wire.tournament_events import decode, encode, manifest_from_bytes, manifest_to_bytes
from tests.server.tournaments.scripted_desk import manifest

MANIFEST = manifest(options={"heist_turn_limit": 9, "deck": {"N0": 30, "BS": 1}}, deals_root=b"r" * 32, deal_slots=9)
DRAWN = RoundDrawn(2, (("ann", "ben"), ("cleo", "dora")), ("emil",), (Lot(1, ("fritz", "gus")),), 8)
OUTCOME = MatchOutcome((3, -1, 5), (2, 3, 1), EndReason.STALLED, (1,), (2, 2, 1))
EVENTS: list[TournamentEvent] = [
    TournamentCreated(MANIFEST, manifest_to_bytes(MANIFEST), b"secret-of-the-deals-32-bytes-lng", 5),
    EntrantEntered(Entrant("bot", "owner"), 6),
    TournamentStarted(7),
    DRAWN,
    BlockCompleted(1, 2, 3, (CompletedMatch("m", b"h" * 32, 9, OUTCOME, ("a", "b", "c")),), 8),
    BlockVoided(1, 2, 3, VoidCause.PLATFORM, 9),
    TournamentFinished((Standing(1, "a", 6, 1 / 3, 0.1, 0.9, 2, 1, (0.5, 0.25)),), 10),
]


@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_an_event_comes_back_as_it_was(event: TournamentEvent) -> None:
    stored = encode(event)

    assert decode(stored) == event
    assert type(decode(stored)) is type(event)


def test_a_seat_never_sat_in_stays_not_a_number() -> None:
    event = TournamentFinished((Standing(1, "a", 0, 0.0, 0.0, 1.0, 0, 0, (nan,)),), 10)

    decoded = decode(encode(event))

    assert isinstance(decoded, TournamentFinished)
    assert decoded.standings[0].points_by_seat[0] != decoded.standings[0].points_by_seat[0]


def test_the_deals_secret_is_committed_to_and_not_public() -> None:
    created = EVENTS[0]
    assert isinstance(created, TournamentCreated)

    stored = encode(created)

    assert created.deals_secret in stored.secret
    assert created.deals_secret not in stored.public
    public = tournament_log_pb2.TournamentPublicEvent.FromString(stored.public)
    assert public.commitment == commitment(stored.salt, stored.secret)
    assert encode(created).salt != stored.salt


def test_the_public_part_of_a_drawn_round_tells_its_number_and_nobody_in_it() -> None:
    stored = encode(DRAWN)

    names = [*DRAWN.tables[0], *DRAWN.tables[1], *DRAWN.byes, *DRAWN.lots[0].bots]
    assert [name for name in names if name.encode() not in stored.secret] == []
    assert [name for name in names if name.encode() in stored.public] == []
    # The lengths are to tell no more than the bytes.
    nobody = encode(DRAWN._replace(tables=(), byes=(), lots=()))
    assert len(nobody.public) == len(stored.public)
    public = tournament_log_pb2.TournamentPublicEvent.FromString(stored.public)
    assert public.round_drawn.round == DRAWN.round
    assert public.commitment == commitment(stored.salt, stored.secret)


def test_tables_planted_in_the_public_part_of_a_round_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    original = tournament_events._ENCODERS[RoundDrawn]

    def leaky(event: RoundDrawn) -> tuple[bytes, bytes]:
        public, secret = original(event)
        return public + secret, secret

    monkeypatch.setitem(tournament_events._ENCODERS, RoundDrawn, leaky)

    with pytest.raises(AssertionError):
        test_the_public_part_of_a_drawn_round_tells_its_number_and_nobody_in_it()


def test_the_audit_opens_a_drawn_round_and_finds_tables_other_than_those_committed_to() -> None:
    stored = encode(DRAWN)
    exchanged = stored._replace(secret=encode(DRAWN._replace(tables=DRAWN.tables[::-1])).secret)

    assert opened(stored, tournament_events.decode_with_commitment) == DRAWN
    with pytest.raises(Wrong, match="not what was committed to"):
        opened(exchanged, tournament_events.decode_with_commitment)


def test_a_manifest_comes_back_as_it_was_without_its_seed() -> None:
    assert manifest_from_bytes(manifest_to_bytes(MANIFEST)) == MANIFEST._replace(seed="")


@pytest.mark.parametrize(
    "stored",
    [
        StoredEvent(b"", b"", b""),
        StoredEvent(b"\xff", b"", b""),
        StoredEvent(encode(EVENTS[0]).public, b"", b""),
        StoredEvent(encode(DRAWN).public, b"", b""),
        StoredEvent(encode(EVENTS[1]).public, encode(EVENTS[0]).secret, b"s" * 32),
        StoredEvent(encode(DRAWN).public, encode(EVENTS[0]).secret, b"s" * 32),
    ],
    ids=[
        "empty",
        "no message",
        "secret missing",
        "tables missing",
        "secret where there is none",
        "secret of another kind",
    ],
)
def test_what_is_no_event_is_unreadable(stored: StoredEvent) -> None:
    with pytest.raises(UnreadableEvent):
        decode(stored)
