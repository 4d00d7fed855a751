"""No byte of a bundle is free: every flipped byte is found, and so is every other form of the same content."""

from __future__ import annotations

from hashlib import sha256

import pytest

from cutpurse.v1 import audit_pb2
from cutpurse_server.audit import audit
from cutpurse_server.log.port import StoredEvent
from cutpurse_server.matches.events import MatchEvent
from cutpurse_server.wire import match_events
from cutpurse_server.wire.bundle import BadBundle, BundleReader, ExportedLog
from tests.server.audit.honest import bundle_of, honest_match, honest_tournament, match_at

FIRST_LINE = b"cutpurse bundle 1\n"
HEADER_BYTES = len(FIRST_LINE) + 65


@pytest.fixture(scope="module")
def tournament() -> bytes:
    return honest_tournament(faults=0.1).bundle()


def stored(events: list[MatchEvent]) -> list[StoredEvent]:
    return [match_events.encode(each) for each in events]


def sealed(body: bytes) -> bytes:
    """A file with the digest of its body, whatever the body is."""
    return FIRST_LINE + sha256(body).hexdigest().encode() + b"\n" + body


def flipped(data: bytes, place: int, bit: int) -> bytes:
    return data[:place] + bytes([data[place] ^ (1 << bit)]) + data[place + 1 :]


def test_a_flipped_byte_anywhere_is_found() -> None:
    data = bundle_of([ExportedLog("single", stored(honest_match(faults=0)))])
    assert audit(data).consistent

    unseen = [place for place in range(0, len(data), 41) if audit(flipped(data, place, place % 8)).consistent]
    unseen += [place for place in range(HEADER_BYTES + 20) if audit(flipped(data, place, 0)).consistent]

    assert unseen == []


def unseen_flips(every: int) -> list[int]:
    """Places of a match's bundle, one out of so many, where a flipped bit is not found."""
    data = bundle_of([ExportedLog("single", stored(honest_match(faults=0)))])
    return [place for place in range(0, len(data), every) if audit(flipped(data, place, place % 8)).consistent]


@pytest.mark.slow
def test_a_flipped_byte_in_any_seventh_place_is_found() -> None:
    assert unseen_flips(every=7) == []


@pytest.mark.long
def test_every_flipped_byte_is_found() -> None:
    assert unseen_flips(every=1) == []


def test_a_flipped_byte_in_a_match_is_found_even_if_the_digest_is_made_to_fit(tournament: bytes) -> None:
    """What binds a match is its head in the tournament's log, and its commitments."""
    ends = [end for end, _, _ in BundleReader(tournament).parts()]
    body = tournament[HEADER_BYTES:]
    first, last = ends[1] - HEADER_BYTES, ends[2] - HEADER_BYTES
    places = [*range(first, first + 90), *range(first + 90, last, 83)]

    unseen = [place for place in places if audit(sealed(flipped(body, place, place % 8))).consistent]

    assert unseen == []


def test_the_event_that_was_touched_is_named() -> None:
    story = honest_tournament(faults=0.1)
    match = match_at(1, 3, 0)
    data = story.bundle()
    place = data.find(story.stored[match][9].public)
    assert place > 0

    findings = audit(flipped(data, place + 3, 1)).findings

    assert findings[0].stream == "file"
    assert (findings[1].stream, findings[1].event) == (f"match/{match}", 10)


@pytest.mark.parametrize("field", ["public", "secret", "salt"])
def test_an_event_with_another_part_than_was_committed_to_is_found(field: str) -> None:
    events = stored(honest_match(faults=0))
    at = next(place for place, each in enumerate(events) if each.salt and place > 10)
    other = next(each for each in events[at + 1 :] if each.salt and len(each.secret) == len(events[at].secret))
    events[at] = events[at]._replace(**{field: getattr(other, field)})

    findings = audit(bundle_of([ExportedLog("single", events)])).findings

    assert [(each.event, each.what) for each in findings] == [(at + 1, "what was opened is not what was committed to")]


def test_a_secret_part_that_was_never_committed_to_is_found() -> None:
    events = stored(honest_match(faults=0))
    at = next(place for place, each in enumerate(events) if not each.salt)
    events[at] = events[at]._replace(salt=b"s" * 32)

    assert "committed to" in audit(bundle_of([ExportedLog("single", events)])).findings[0].what


def forms(body: bytes) -> dict[str, bytes]:
    """The same content in other forms."""
    bundle = audit_pb2.Bundle.FromString(body)
    with_unknown = audit_pb2.Bundle.FromString(body)
    log_with_unknown = with_unknown.matches[0].SerializeToString() + b"\x1a\x01x"
    return {
        "an unknown field": body + b"\x22\x01x",
        "an unknown field in a log": b"\x0a\x050.1.0\x1a" + _length(len(log_with_unknown)) + log_with_unknown,
        "fields out of order": body[7:] + body[:7],
        "a longer length": body[:1] + bytes([body[1] | 0x80, 0]) + body[2:],
        "an empty log": body + b"\x1a\x00",
        "a version twice": body[:7] + body,
        "no version": audit_pb2.Bundle(matches=bundle.matches).SerializeToString(),
        "a rest": body + b"\x1a",
        "a field cut off": body[:-1],
        "a number instead of a field": body + b"\x08\x01",
        "a match twice": body + body[7:],
        "no match": body[:7],
    }


def _length(value: int) -> bytes:
    written = bytearray()
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*written, value])


FORMS = list(forms(bundle_of([ExportedLog("single", stored(honest_match(faults=0)))])[HEADER_BYTES:]))


@pytest.mark.parametrize("form", FORMS)
def test_another_form_of_the_same_content_is_found(form: str) -> None:
    body = bundle_of([ExportedLog("single", stored(honest_match(faults=0)))])[HEADER_BYTES:]
    assert body[:7] == b"\x0a\x050.1.0"
    assert audit(sealed(body)).consistent

    findings = audit(sealed(forms(body)[form])).findings

    assert findings


@pytest.mark.parametrize("data", [b"", b"SQLite format 3", FIRST_LINE, FIRST_LINE + b"0" * 64, FIRST_LINE + b"0" * 65])
def test_what_is_no_bundle_is_said_to_be_none(data: bytes) -> None:
    with pytest.raises(BadBundle):
        list(BundleReader(data).parts())

    assert [each.stream for each in audit(data).findings] == ["file"]


def test_the_body_is_what_the_proto_says(tournament: bytes) -> None:
    bundle = audit_pb2.Bundle.FromString(tournament[HEADER_BYTES:])

    assert tournament == sealed(bundle.SerializeToString())
    assert bundle.tournament.id == "cup"
    assert [log.id for log in bundle.matches][:3] == [match_at(1, 1, 0), match_at(1, 1, 1), match_at(1, 2, 0)]
