"""MatchService: single matches by unary calls, and the public story of a match."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from hashlib import sha256
from typing import Any

from cutpurse.v1 import match_pb2, match_pb2_grpc
from cutpurse_rules.contract import Seat
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.identity import Registry, Role
from cutpurse_server.matches.beginning import begin_match, match_name
from cutpurse_server.matches.crowd import Crowd
from cutpurse_server.matches.deciding import REQUEST_ID_BYTES_MAX, abort, choose
from cutpurse_server.matches.desk import MatchDesk
from cutpurse_server.matches.events import Clock, SeatIdentity, VoidCause
from cutpurse_server.matches.record import MatchRecord
from cutpurse_server.matches.replies import Refused
from cutpurse_server.matches.story import Story
from cutpurse_server.servicers.gate import current_caller
from cutpurse_server.servicers.hub import Hub
from cutpurse_server.wire import games
from cutpurse_server.wire.matches import (
    accepted_to_proto,
    answer_from_proto,
    clock_from_proto,
    fill_decision,
    fill_view,
    match_to_proto,
    options_from_proto,
    resolved_to_proto,
)

__all__ = ["MatchServicer"]

_TEXT_BYTES_MAX = 256


class MatchServicer(match_pb2_grpc.MatchServiceServicer):
    """Parses, asks the desk, renders."""

    def __init__(self, desk: MatchDesk, hub: Hub, registry: Registry, crowd: Crowd) -> None:
        self._desk = desk
        self._hub = hub
        self._registry = registry
        self._crowd = crowd

    async def CreateMatch(self, request: match_pb2.CreateMatchRequest, context: Any) -> match_pb2.CreateMatchResponse:
        """A new match."""
        if not 1 <= len(request.request_id) <= REQUEST_ID_BYTES_MAX:
            raise ServiceError(ErrorReason.MALFORMED, f"request_id must have 1 to {REQUEST_ID_BYTES_MAX} bytes.")
        configuration = request.configuration
        clock = clock_from_proto(configuration.clock) if configuration.HasField("clock") else Clock()
        begun = begin_match(
            match_name(current_caller().name, request.request_id),
            configuration.game,
            options_from_proto(configuration.options),
            clock,
            [await self._identity(bot) for bot in request.bots],
            self._desk.log.now_ms(),
            seed=request.seed,
            request_digest=sha256(request.SerializeToString(deterministic=True)).digest(),
        )
        try:
            await self._desk.begin(begun)
        except ServiceError as refused:
            # The name follows from the request id, so another match of that name means another content.
            if refused.reason is ErrorReason.NAME_TAKEN:
                raise ServiceError(ErrorReason.REQUEST_ID_REUSED) from None
            raise
        return match_pb2.CreateMatchResponse(match=begun.match)

    async def GetMatch(self, request: match_pb2.GetMatchRequest, context: Any) -> match_pb2.GetMatchResponse:
        """What everybody may know."""
        record = await self._visible(request.match)
        response = match_to_proto(record)
        if record.over and record.begun.origin is None:
            response.bots.extend(seat.bot for seat in record.begun.seats)
        return response

    async def GetView(self, request: match_pb2.GetViewRequest, context: Any) -> match_pb2.GetViewResponse:
        """The caller's own view."""
        record, seat = await self._own(request.match)
        if record.state is None:
            raise ServiceError(ErrorReason.DECISION_NOT_OPEN, "The match has not begun.")
        response = match_pb2.GetViewResponse(seat=seat)
        fill_view(record, seat, response.view)
        if seat in record.asked and seat not in record.chosen:
            fill_decision(record, seat, self._desk.log.now_ms(), response.decision)
        return response

    async def ListLegalActions(
        self, request: match_pb2.ListLegalActionsRequest, context: Any
    ) -> match_pb2.ListLegalActionsResponse:
        """The caller's legal actions."""
        record, seat = await self._own(request.match)
        if seat not in record.asked or seat in record.chosen:
            raise ServiceError(ErrorReason.DECISION_NOT_OPEN)
        legal = record.legal_of(seat)
        return match_pb2.ListLegalActionsResponse(
            decision=record.decisions[seat],
            legal=[action.notation for action in legal],
            legal_actions=[games.action_to_proto(record.begun.game, action) for action in legal],
        )

    async def SubmitChoice(
        self, request: match_pb2.SubmitChoiceRequest, context: Any
    ) -> match_pb2.SubmitChoiceResponse:
        """An answer to a decision."""
        received_at_ms = self._desk.log.now_ms()
        match = request.choice.match
        record, seat = await self._own(match)
        answer = answer_from_proto(request.choice, record.begun.game)
        bot = current_caller().bot
        if not self._crowd.enter(bot, match):
            raise ServiceError(ErrorReason.RATE_LIMITED)
        try:
            reply = await self._desk.ask(
                match, lambda draft, now_ms: choose(draft, seat, answer, received_at_ms, now_ms)
            )
        finally:
            self._crowd.leave(bot, match)
        if isinstance(reply, Refused):
            raise ServiceError(reply.reason, f"{reply.reason.name}: {reply.rule}." if reply.rule else None)
        return match_pb2.SubmitChoiceResponse(accepted=accepted_to_proto(match, reply))

    async def WatchMatch(
        self, request: match_pb2.WatchMatchRequest, context: Any
    ) -> AsyncIterator[match_pb2.WatchMatchResponse]:
        """The public story, live: nothing between the boundaries of decisions."""
        await self._visible(request.match)
        news = asyncio.Event()
        self._hub.watch(request.match, news)
        try:
            story = Story(self._desk, request.match)
            while True:
                news.clear()
                record, chapters = await story.go_on(request.after_cursor)
                if chapters:
                    public = match_to_proto(record)
                    yield match_pb2.WatchMatchResponse(
                        cursor=story.cursor,
                        resolved=[resolved_to_proto(each.event, each.happenings) for each in chapters if each.event],
                        view=public.view if public.HasField("view") else None,
                        phase=public.phase,
                        result=public.result if public.HasField("result") else None,
                        void_cause=public.void_cause,
                    )
                if record.over:
                    return
                if self._desk.draining:
                    raise ServiceError(ErrorReason.DRAINING)
                await news.wait()
        finally:
            self._hub.unwatch(request.match, news)

    async def AbortMatch(self, request: match_pb2.AbortMatchRequest, context: Any) -> match_pb2.AbortMatchResponse:
        """An end without a result."""
        if len(request.text.encode()) > _TEXT_BYTES_MAX:
            raise ServiceError(ErrorReason.MALFORMED, f"text must have at most {_TEXT_BYTES_MAX} bytes.")
        await self._visible(request.match)
        await self._desk.ask(request.match, lambda draft, now_ms: abort(draft, VoidCause.ABORTED, request.text, now_ms))
        return match_pb2.AbortMatchResponse()

    async def _identity(self, bot: str) -> SeatIdentity:
        owner = await self._registry.owner_of(bot)
        if owner is None:
            raise ServiceError(ErrorReason.BOT_UNKNOWN, f"There is no bot {bot[:64]!r}; register it first.")
        return SeatIdentity(bot, owner, await self._registry.is_player(bot))

    async def _visible(self, match: str) -> MatchRecord:
        """A match of which the caller may know; MATCH_UNKNOWN for every other, whether it exists or not."""
        record = await self._desk.record(match)
        caller = current_caller()
        if record is None or (caller.role in (Role.BOT, Role.PLAYER) and caller.bot not in record.seat_of):
            raise ServiceError(ErrorReason.MATCH_UNKNOWN)
        return record

    async def _own(self, match: str) -> tuple[MatchRecord, Seat]:
        """A match in which the caller has a seat, and the seat; MATCH_UNKNOWN for every other."""
        record = await self._visible(match)
        return record, record.seat_of[current_caller().bot]
