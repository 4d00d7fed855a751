"""Each way for a secret to get out, planted in the running service, makes the test fail that is there to notice it."""

import hmac
import inspect
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
import pytest

from cutpurse.v1 import bot_pb2, match_pb2
from cutpurse_rules.art_robbery import ArtRobbery
from cutpurse_rules.art_robbery.actions import legal_plays
from cutpurse_rules.art_robbery.cards import CARDS
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.log.chain import commitment
from cutpurse_server.log.memory import MemoryLog
from cutpurse_server.log.port import Head, StoredEvent
from cutpurse_server.matches import deciding
from cutpurse_server.matches.events import ChoiceMade, DecisionResolved, ResolvedChoice
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.matches.story import Chapter, Story
from cutpurse_server.servicers import connection, gate, hub, matches, tournaments
from cutpurse_server.tournaments import blocks
from cutpurse_server.tournaments.formats import course
from cutpurse_server.wire import decisions, match_events, sealing, tournament_events
from cutpurse_server.wire import matches as wire
from tests.server.service import (
    test_bad_calls,
    test_noninterference,
    test_openings,
    test_opponents,
    test_simultaneous_choices,
    test_what_is_said,
)
from tests.server.service.arena import open_arena

Patch = pytest.MonkeyPatch
Plant = Callable[[Patch], None]
Test = Callable[..., Awaitable[None]]


def state_hash_in_a_public_part(patch: Patch) -> None:
    original = match_events._ENCODERS[DecisionResolved]

    def leaky(event: DecisionResolved) -> tuple[bytes, bytes]:
        public, secret = original(event)
        return public + b"\xa2\x06\x20" + event.state_hash, secret

    patch.setitem(match_events._ENCODERS, DecisionResolved, leaky)


def state_hash_in_the_news(patch: Patch) -> None:
    original = wire.resolved_to_proto
    patch.setattr(hub, "resolved_to_proto", lambda event: original(event, [event.state_hash.hex()]))


def seat_in_the_public_part_of_a_choice(patch: Patch) -> None:
    original = match_events._ENCODERS[ChoiceMade]

    def leaky(event: ChoiceMade) -> tuple[bytes, bytes]:
        public, secret = original(event)
        return public + bytes((0xA0, 0x06, event.seat)), secret

    patch.setitem(match_events._ENCODERS, ChoiceMade, leaky)


class CountingAllEvents(Story):
    """A cursor that counts the log's events."""

    async def go_on(self, after_cursor: int = 0) -> Any:
        record, chapters = await super().go_on()
        self.cursor = record.version
        return record, chapters


def cursor_that_grows_with_sealed_choices(patch: Patch) -> None:
    patch.setattr(matches, "Story", CountingAllEvents)


def in_every_decision(patch: Patch, leak: Callable[[MatchRecord, Any, match_pb2.Decision], None]) -> None:
    """Change every decision before it goes out."""
    original = decisions.decision_to_frame

    def leaky(record: MatchRecord, seat: Any, now_ms: int, **typed: Any) -> bytes:
        frame = bot_pb2.ConnectResponse.FromString(original(record, seat, now_ms, **typed))
        leak(record, seat, frame.decisions[0])
        return frame.SerializeToString()

    patch.setattr(connection, "decision_to_frame", leaky)


def number_that_grows_with_refusals(patch: Patch) -> None:
    def leak(record: MatchRecord, seat: Any, decision: match_pb2.Decision) -> None:
        decision.last_charged_ms = record.version

    in_every_decision(patch, leak)


def error_text_that_names_a_card(patch: Patch) -> None:
    original = deciding._refuse

    def leaky(draft: Any, seat: Any, *rest: Any) -> Any:
        original(draft, seat, *rest)
        top = CARDS[draft.record.state.pile[0] - 1]
        raise ServiceError(ErrorReason.CHOICE_ILLEGAL, f"You will draw {top} next.")

    patch.setattr(deciding, "_refuse", leaky)


def hand_in_the_spectators_view(patch: Patch) -> None:
    original = ArtRobbery.view

    def leaky(game: ArtRobbery, state: Any, seat: Any, choice: Any = None) -> Any:
        view = original(game, state, seat, choice)
        return view if seat is not None else view._replace(discards=state.hands[0])

    patch.setattr(ArtRobbery, "view", leaky)


def kinds_in_hands_in_the_table(patch: Patch) -> None:
    original = ArtRobbery.view

    def leaky(game: ArtRobbery, state: Any, seat: Any, choice: Any = None) -> Any:
        view = original(game, state, seat, choice)
        return view._replace(hand_sizes=tuple(len(set(hand)) for hand in state.hands))

    patch.setattr(ArtRobbery, "view", leaky)


def legal_list_of_another_seat(patch: Patch) -> None:
    def leak(record: MatchRecord, seat: Any, decision: match_pb2.Decision) -> None:
        other = (seat + 1) % record.begun.players
        plays = legal_plays(record.state.hands[other], other, record.state.lying)
        decision.legal.extend([action.notation for action in plays])

    in_every_decision(patch, leak)


def unsalted_commitments(patch: Patch) -> None:
    def leaky(public: bytes, secret: bytes) -> StoredEvent:
        salt = bytes(32)
        if not secret:
            return StoredEvent(public, b"", b"")
        return StoredEvent(public + sealing._COMMITMENT + commitment(salt, secret), secret, salt)

    patch.setattr(match_events, "seal", leaky)


def text_of_an_exception(patch: Patch) -> None:
    async def leaky(method: str, context: Any, served: Callable[[], Awaitable[Any]]) -> Any:
        try:
            return await served()
        except ServiceError as refusal:
            code, text, trailing = gate.status_of(refusal)
            await context.abort(code, text, trailing)
        except Exception as error:
            await context.abort(grpc.StatusCode.INTERNAL, str(error), (("cutpurse-reason", "INTERNAL"),))

    patch.setattr(gate, "_shielded", leaky)


def text_of_an_exception_in_a_log_line(patch: Patch) -> None:
    patch.setattr(gate, "failure", lambda error: {"failure": repr(error)})


def bank_of_another_seat(patch: Patch) -> None:
    def leak(record: MatchRecord, seat: Any, decision: match_pb2.Decision) -> None:
        decision.bank_ms_left = min(record.bank_ms)

    in_every_decision(patch, leak)


def latency_of_another_seat(patch: Patch) -> None:
    def leak(record: MatchRecord, seat: Any, decision: match_pb2.Decision) -> None:
        decision.last_charged_ms = max(record.last_charged_ms)

    in_every_decision(patch, leak)


class TellingOpenChoices(Story):
    """A story that does not wait for the others."""

    async def go_on(self, after_cursor: int = 0) -> Any:
        record, chapters = await super().go_on(after_cursor)
        choices = tuple(ResolvedChoice(seat, each.notation, each.cause) for seat, each in record.chosen.items())
        if choices:
            chapters.append(Chapter(DecisionResolved(record.number, choices, b""), ()))
        return record, chapters


def open_choice_in_a_spectators_frame(patch: Patch) -> None:
    patch.setattr(matches, "Story", TellingOpenChoices)


def frames_between_the_boundaries(patch: Patch) -> None:
    original = hub.Hub.moved

    def leaky(self: hub.Hub, before: Any, after: MatchRecord, events: Any) -> None:
        original(self, before, after, events)
        for bot in after.seat_of:
            for each in self._connections.get(bot, ()):
                if after.chosen:
                    each.offer(after, after.seat_of[bot])

    patch.setattr(hub.Hub, "moved", leaky)


def strike_before_the_resolution(patch: Patch) -> None:
    original = wire.match_to_proto

    def leaky(record: MatchRecord) -> Any:
        response = original(record)
        response.players += sum(record.strikes)
        return response

    patch.setattr(matches, "match_to_proto", leaky)


def hand_in_a_log_line(patch: Patch) -> None:
    original = hub.Hub.moved

    def leaky(self: hub.Hub, before: Any, after: MatchRecord, events: Any) -> None:
        original(self, before, after, events)
        if after.state is not None:
            gate.logger.info("moved", hands=[[CARDS[card - 1] for card in hand] for hand in after.state.hands])

    patch.setattr(hub.Hub, "moved", leaky)


def seed_in_the_offer(patch: Patch) -> None:
    original = wire.offer_to_proto

    def leaky(record: MatchRecord, seat: Any, now_ms: int) -> Any:
        offer = original(record, seat, now_ms)
        offer.configuration.options["seed"] = record.begun.seed
        return offer

    patch.setattr(connection, "offer_to_proto", leaky)


def bots_in_the_offer(patch: Patch) -> None:
    original = wire.offer_to_proto

    def leaky(record: MatchRecord, seat: Any, now_ms: int) -> Any:
        offer = original(record, seat, now_ms)
        offer.seat_names[:] = [each.bot for each in record.begun.seats]
        return offer

    patch.setattr(connection, "offer_to_proto", leaky)


def bots_of_a_match_whose_block_runs(patch: Patch) -> None:
    original = wire.match_to_proto

    def leaky(record: MatchRecord) -> Any:
        response = original(record)
        response.bots.extend(each.bot for each in record.begun.seats)
        return response

    patch.setattr(matches, "match_to_proto", leaky)


def place_in_the_id_of_a_match(patch: Patch) -> None:
    def leaky(deals: bytes, tournament: str, place: tuple[int, int, int, int]) -> str:
        return "{}.r{}.t{}.m{}.a{}".format(tournament, *place)

    patch.setattr(blocks, "match_name", leaky)


def schedule_that_everybody_can_make(patch: Patch) -> None:
    def leaky(_: bytes, message: bytes, name: str) -> bytes:
        return hmac.digest(bytes(32), message, name)

    patch.setattr(course, "digest", leaky)


def key_in_the_match(patch: Patch) -> None:
    original = wire.match_to_proto

    def leaky(record: MatchRecord) -> Any:
        response = original(record)
        response.bots.append(record.begun.key.hex())
        return response

    patch.setattr(matches, "match_to_proto", leaky)


def seed_of_a_tournament_in_its_manifest(patch: Patch) -> None:
    original = tournament_events.manifest_to_proto

    def leaky(manifest: Any) -> Any:
        message = original(manifest)
        message.configuration.options["seed"] = test_what_is_said.SEED
        return message

    patch.setattr(tournaments, "manifest_to_proto", leaky)


def another_reply_for_a_foreign_match(patch: Patch) -> None:
    original = matches.MatchServicer._visible

    async def leaky(self: Any, match: str) -> MatchRecord:
        if await self._desk.record(match) is None:
            raise ServiceError(ErrorReason.MATCH_UNKNOWN, "There is no such match.")
        return await original(self, match)

    patch.setattr(matches.MatchServicer, "_visible", leaky)


def running_match_opened_to_auditors(patch: Patch) -> None:
    original = MemoryLog.head

    async def leaky(self: MemoryLog, stream: str) -> Head | None:
        head = await original(self, stream)
        return head and Head(head.version, head.chain, closed=True)

    patch.setattr(MemoryLog, "head", leaky)


CARDS_OF_OTHERS = test_noninterference.test_a_seat_learns_nothing_of_other_hands_and_the_pile
SPECTATORS = test_noninterference.test_a_spectator_learns_nothing_of_any_hand
PUBLIC_PARTS = test_noninterference.test_the_public_parts_of_the_log_say_nothing_of_hidden_cards
MISTAKES = test_noninterference.test_refused_answers_of_others_do_not_show
TIMES = test_noninterference.test_banks_and_latencies_of_others_do_not_show
COMMITMENTS = test_noninterference.test_commitments_hide_what_they_bind
OPEN_CHOICES = test_simultaneous_choices.test_nobody_can_tell_whether_somebody_else_has_chosen
FIRST_TO_CHOOSE = test_simultaneous_choices.test_the_public_parts_of_the_log_do_not_tell_who_chose_first_or_what
TEXTS = test_what_is_said.test_no_refused_choice_names_a_card_a_tile_or_what_was_answered
EXCEPTIONS = test_what_is_said.test_the_text_of_an_exception_stays_inside
LOG_LINES = test_what_is_said.test_no_log_line_holds_a_hand_a_choice_a_token_or_a_seed
SEEDS = test_what_is_said.test_nobody_sees_the_seed_or_the_key_of_a_match_that_runs
TOURNAMENTS = test_what_is_said.test_nobody_sees_the_seed_of_a_tournament_before_its_end
OPENINGS = test_openings.test_a_match_is_exported_when_it_is_over_and_not_before
FRAMES_OF_OPPONENTS = test_opponents.test_a_bots_frames_name_no_other_bot_and_no_owner
ASKED_ABOUT_OPPONENTS = test_opponents.test_what_a_bot_may_ask_about_its_match_names_no_other_bot
IDS = test_opponents.test_a_matchs_id_follows_from_the_deals_secret_and_not_from_its_place_alone
ORDER = test_opponents.test_a_bots_matches_are_not_in_the_order_of_a_schedule_made_without_the_deals_secret
FOREIGN = test_bad_calls.test_other_peoples_match_looks_exactly_like_an_unknown_one

LEAKS: list[tuple[Plant, Test, tuple[Any, ...]]] = [
    (state_hash_in_a_public_part, PUBLIC_PARTS, ()),
    (state_hash_in_the_news, CARDS_OF_OTHERS, (1,)),
    (seat_in_the_public_part_of_a_choice, FIRST_TO_CHOOSE, ()),
    (cursor_that_grows_with_sealed_choices, OPEN_CHOICES, (test_simultaneous_choices.has_chosen,)),
    (cursor_that_grows_with_sealed_choices, MISTAKES, ()),
    (number_that_grows_with_refusals, MISTAKES, ()),
    (error_text_that_names_a_card, TEXTS, ()),
    (hand_in_the_spectators_view, SPECTATORS, ()),
    (kinds_in_hands_in_the_table, CARDS_OF_OTHERS, (0,)),
    (legal_list_of_another_seat, CARDS_OF_OTHERS, (2,)),
    (unsalted_commitments, COMMITMENTS, ()),
    (text_of_an_exception, EXCEPTIONS, ()),
    (text_of_an_exception_in_a_log_line, EXCEPTIONS, ()),
    (bank_of_another_seat, TIMES, ()),
    (latency_of_another_seat, TIMES, ()),
    (open_choice_in_a_spectators_frame, OPEN_CHOICES, (test_simultaneous_choices.has_chosen,)),
    (frames_between_the_boundaries, OPEN_CHOICES, (test_simultaneous_choices.has_chosen,)),
    (strike_before_the_resolution, OPEN_CHOICES, (test_simultaneous_choices.was_forfeited,)),
    (hand_in_a_log_line, LOG_LINES, ()),
    (seed_in_the_offer, SEEDS, ()),
    (bots_in_the_offer, FRAMES_OF_OPPONENTS, ()),
    (bots_of_a_match_whose_block_runs, ASKED_ABOUT_OPPONENTS, ()),
    (place_in_the_id_of_a_match, IDS, ()),
    (schedule_that_everybody_can_make, ORDER, ()),
    (key_in_the_match, SEEDS, ()),
    (seed_of_a_tournament_in_its_manifest, TOURNAMENTS, ()),
    (another_reply_for_a_foreign_match, FOREIGN, ()),
    (running_match_opened_to_auditors, OPENINGS, ()),
]


async def run(test: Test, arguments: tuple[Any, ...]) -> None:
    """Run a test with an arena of its own if it wants one."""
    if "arena" not in inspect.signature(test).parameters:
        await test(*arguments)
        return
    async with open_arena() as arena:
        await test(arena, *arguments)


@pytest.mark.interpreted
@pytest.mark.parametrize(("plant", "test", "arguments"), LEAKS, ids=[plant.__name__ for plant, _, _ in LEAKS])
async def test_a_planted_leak_is_noticed(
    plant: Plant, test: Test, arguments: tuple[Any, ...], monkeypatch: Patch
) -> None:
    plant(monkeypatch)

    with pytest.raises(AssertionError):
        await run(test, arguments)


@pytest.mark.parametrize("test", list(dict.fromkeys(test for _, test, _ in LEAKS)), ids=lambda test: str(test.__name__))
def test_what_notices_a_leak_is_a_test_of_its_own(test: Test) -> None:
    assert test.__name__.startswith("test_")
    assert inspect.getmodule(test) is not inspect.getmodule(run)
