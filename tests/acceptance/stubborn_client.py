"""A bot that outlives its service, from the generated stubs alone, and writes down every word that it was given.

    CUTPURSE_TOKEN=… python stubborn_client.py NAME ADDRESS[,ADDRESS…] LEDGER MATCHES

It dials in again whenever the stream breaks or its service's log is away, at the next address if there are several,
sends what was not acknowledged again with the same request id, and a few choices besides that were acknowledged long
ago. Its choices follow from match and decision alone. Each acknowledgement and each refusal is a line of the ledger, on
the disk before anything else happens:
`{"kind", "match", "decision", "request", "notation", "at_ms", "reply"}`, the last in hexadecimal as it came. A test may
set the pace (`pace`): choices wait, replies are written down all the same.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import cycle
from typing import Any

import grpc

from cutpurse.v1 import bot_pb2, bot_pb2_grpc, errors_pb2, match_pb2, match_pb2_grpc
from tests.acceptance.pace import granted

REPEATED = 8
"""So many acknowledged choices are sent again with every new stream."""
PAUSE_S = 0.05
_PACE_S = 0.01

_TRY_AGAIN = (errors_pb2.ERROR_REASON_LOG_UNAVAILABLE, errors_pb2.ERROR_REASON_DRAINING)
"""Refusals that say nothing of the choice: nobody knows whether it was taken, or it was not looked at."""
_GONE = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED)


class StubbornClient:
    """A bot's memory, over all its streams."""

    def __init__(self, name: str, token: str, ledger: Any, matches: int) -> None:
        self._name = name
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._ledger = ledger
        self._matches = matches
        self._waiting: dict[bytes, match_pb2.Choice] = {}
        self._acknowledged: dict[bytes, match_pb2.Choice] = {}
        self._made: set[bytes] = set()
        """The request ids of all choices that were ever sent."""
        self._running: set[str] = set()
        self._over: set[str] = set()

    def play(self, addresses: Sequence[str]) -> None:
        """Play until all matches are over, through any number of streams."""
        for address in cycle(addresses):
            if len(self._over) >= self._matches:
                return
            # A service that is gone is dialled again by a new channel: an old one waits longer and longer.
            with grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
                try:
                    self._play(bot_pb2_grpc.BotServiceStub(channel), match_pb2_grpc.MatchServiceStub(channel))
                except grpc.RpcError as error:
                    if error.code() not in _GONE:
                        raise
            time.sleep(PAUSE_S)

    def _ask_for_ends(self, stub: Any) -> None:
        """A match may have ended while nobody could say so: streams tell of ends only as they happen.

        To be called when the stream is there: whatever ends from then on is told.
        """
        for match in sorted(self._running):
            found = stub.GetMatch(match_pb2.GetMatchRequest(match=match), metadata=self._metadata, timeout=5)
            if found.phase in (match_pb2.MATCH_PHASE_ENDED, match_pb2.MATCH_PHASE_VOIDED):
                self._end(match)

    def _play(self, stub: Any, matches: Any) -> None:
        outbox: queue.SimpleQueue[bot_pb2.ConnectRequest | None] = queue.SimpleQueue()
        outbox.put(bot_pb2.ConnectRequest(hello=bot_pb2.Hello(protocol_version=1, sdk="stubborn/1")))
        again = [*self._waiting.values(), *list(self._acknowledged.values())[-REPEATED:]]
        if again:
            outbox.put(bot_pb2.ConnectRequest(choices=again))
        gone = threading.Event()
        stream = stub.Connect(self._paced(outbox, gone), metadata=self._metadata)
        try:
            for frame in stream:
                if frame.HasField("welcome"):
                    self._ask_for_ends(matches)
                answer = self._answer(frame)
                if answer.readies or answer.choices:
                    outbox.put(answer)
                if any(refused.reason in _TRY_AGAIN for refused in frame.refused):
                    return
                if len(self._over) >= self._matches and not self._waiting:
                    return
        finally:
            gone.set()
            outbox.put(None)
            stream.cancel()

    def _paced(
        self, outbox: queue.SimpleQueue[bot_pb2.ConnectRequest | None], gone: threading.Event
    ) -> Iterator[bot_pb2.ConnectRequest]:
        """What is to be sent, each choice as soon as it may be made; until the stream is gone."""
        for request in iter(outbox.get, None):
            choices = list(request.choices)
            del request.choices[:]
            while True:
                while choices and (choices[0].request_id in self._made or len(self._made) < granted()):
                    self._made.add(choices[0].request_id)
                    request.choices.append(choices.pop(0))
                if request.ByteSize():
                    yield request
                if not choices:
                    break
                if gone.wait(_PACE_S):
                    # What is left goes over the next stream, before what comes after it.
                    return
                request = bot_pb2.ConnectRequest()

    def _answer(self, frame: bot_pb2.ConnectResponse) -> bot_pb2.ConnectRequest:
        for accepted in frame.accepted:
            self._write("accepted", accepted)
            choice = self._waiting.pop(accepted.request_id, None)
            if choice is not None:
                self._acknowledged[accepted.request_id] = choice
        for refused in frame.refused:
            if refused.reason not in _TRY_AGAIN:
                self._write("refused", refused)
        self._running.update(each.match for each in frame.offers if each.match not in self._over)
        for ended in frame.ended:
            self._end(ended.match)
        choices = [self._choice(decision) for decision in frame.decisions]
        self._waiting.update((choice.request_id, choice) for choice in choices)
        return bot_pb2.ConnectRequest(
            readies=[bot_pb2.Ready(match=each.match) for each in frame.offers], choices=choices
        )

    def _end(self, match: str) -> None:
        self._running.discard(match)
        self._over.add(match)

    def _choice(self, decision: match_pb2.Decision) -> match_pb2.Choice:
        lot = sha256(f"{self._name}/{decision.match}/{decision.decision}".encode()).digest()
        notation = decision.legal[int.from_bytes(lot[:8], "big") % len(decision.legal)]
        return match_pb2.Choice(
            match=decision.match, decision=decision.decision, request_id=lot[:16], notation=notation
        )

    def _write(self, kind: str, reply: Any) -> None:
        known = self._waiting.get(reply.request_id) or self._acknowledged.get(reply.request_id)
        line = {
            "kind": kind,
            "match": reply.match,
            "decision": reply.decision,
            "request": reply.request_id.hex(),
            "notation": known.notation if known else None,
            "at_ms": time.time_ns() // 1_000_000,
            "reply": reply.SerializeToString().hex(),
        }
        self._ledger.write(json.dumps(line) + "\n")
        self._ledger.flush()
        os.fsync(self._ledger.fileno())


if __name__ == "__main__":
    bot, where, path, count = sys.argv[1:]
    with open(path, "a") as file:
        StubbornClient(bot, os.environ["CUTPURSE_TOKEN"], file, int(count)).play(where.split(","))
