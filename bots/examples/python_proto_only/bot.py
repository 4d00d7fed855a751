"""A bot from the protocol alone: grpc and the generated code, no SDK. Plays the first legal actions.

    CUTPURSE_ADDRESS=127.0.0.1:50051 CUTPURSE_TOKEN=... python bot.py [MATCHES]

It plays any game, in any number of matches at once, until it is told to stop or MATCHES are over. It passes `cutpurse
bot check`, and so shows all that a bot has to do besides thinking; docs/protocol.md tells why.
"""

import os
import queue
import random
import sys
import time
import uuid
from collections.abc import Iterator, Sequence

import grpc

from cutpurse.v1 import bot_pb2, bot_pb2_grpc, errors_pb2, match_pb2

CHOICES_PER_FRAME_MAX = 256
STEADY_S = 5.0
CHANNEL_OPTIONS = (
    # A frame of many views may be larger than gRPC's 4 MiB.
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    # Every attempt stands alone: gRPC would remember a failed address for a while.
    ("grpc.use_local_subchannel_pool", 1),
)
# The answer was wrong: another one may be sent.
CORRECTABLE = {errors_pb2.ERROR_REASON_CHOICE_MALFORMED, errors_pb2.ERROR_REASON_CHOICE_ILLEGAL}
# The answer is as good as it was: it is sent again, as it is, after a pause.
PASSING = {
    errors_pb2.ERROR_REASON_LOG_UNAVAILABLE,
    errors_pb2.ERROR_REASON_RATE_LIMITED,
    errors_pb2.ERROR_REASON_INTERNAL,
    errors_pb2.ERROR_REASON_DRAINING,
}
# A stream that ended so will end so again: a wrong token, another protocol version, …
FOR_GOOD = {
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.FAILED_PRECONDITION,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.UNIMPLEMENTED,
}


class Bot:
    """What the bot knows across its streams."""

    def __init__(self) -> None:
        self.asked: dict[str, match_pb2.Decision] = {}
        """By match: its latest decision."""
        self.unanswered: dict[str, match_pb2.Choice] = {}
        """By match: the answer that has no reply yet."""
        self.attempts: dict[str, int] = {}
        """By match: how many answers to the latest decision were refused, for whatever reason."""
        self.ended: list[bot_pb2.MatchEnded] = []

    def receive(self, frame: bot_pb2.ConnectResponse) -> list[bot_pb2.ConnectRequest]:
        """Take a frame in; what is to be said to it. What arrives twice is answered once."""
        answers = []
        for accepted in frame.accepted:
            if self.is_waited_for(accepted.match, accepted.request_id):
                del self.unanswered[accepted.match]
        for refused in frame.refused:
            if self.is_waited_for(refused.match, refused.request_id):
                answers += self.refused(refused)
        for decision in frame.decisions:
            before = self.asked.get(decision.match)
            if before is None or decision.decision > before.decision:
                self.asked[decision.match] = decision
                self.attempts[decision.match] = 0
                answers.append(self.answer(decision, self.choose(decision.legal)))
        for ended in frame.ended:
            # A match may have ended without our having been asked anything.
            for known in (self.asked, self.unanswered, self.attempts):
                known.pop(ended.match, None)
            self.ended.append(ended)
        return frames([offer.match for offer in frame.offers], answers)

    def is_waited_for(self, match: str, request_id: bytes) -> bool:
        """Whether a reply belongs to the answer that has none yet."""
        return match in self.unanswered and self.unanswered[match].request_id == request_id

    def choose(self, legal: Sequence[str]) -> int:
        """The bot's mind: the position of an action in the list of legal ones."""
        return 0

    def answer(self, decision: match_pb2.Decision, index: int) -> match_pb2.Choice:
        """A new answer, kept until there is a reply. The request id is made once, here."""
        choice = match_pb2.Choice(
            match=decision.match, decision=decision.decision, request_id=uuid.uuid4().bytes, index=index
        )
        self.unanswered[decision.match] = choice
        return choice

    def refused(self, refused: match_pb2.ChoiceRefused) -> list[match_pb2.Choice]:
        """What to say to a refusal: another answer, the same one, or nothing."""
        match = refused.match
        self.attempts[match] += 1
        if refused.reason in CORRECTABLE:
            decision = self.asked[match]
            return [self.answer(decision, self.attempts[match] % len(decision.legal))]
        if refused.reason in PASSING:
            time.sleep(pause_s(self.attempts[match]))
            return [self.unanswered[match]]
        # The decision is over; so it is with any reason that only a newer service knows.
        del self.unanswered[match]
        return []

    def said_again(self) -> list[bot_pb2.ConnectRequest]:
        """What to say on a new stream: the answers that have no reply, as they were."""
        return frames([], list(self.unanswered.values()))


def frames(readies: list[str], choices: list[match_pb2.Choice]) -> list[bot_pb2.ConnectRequest]:
    """As many frames as it takes, and none if there is nothing to say."""
    frames = []
    for begin in range(0, max(len(readies), len(choices)), CHOICES_PER_FRAME_MAX):
        end = begin + CHOICES_PER_FRAME_MAX
        said = [bot_pb2.Ready(match=match) for match in readies[begin:end]]
        frames.append(bot_pb2.ConnectRequest(readies=said, choices=choices[begin:end]))
    return frames


def pause_s(attempt: int) -> float:
    """A pause that doubles with every attempt from the first, 50 ms to 5 s, with some chance in it."""
    return min(5.0, 0.05 * 2.0 ** min(attempt - 1, 10)) * random.uniform(0.5, 1.0)


def open_channel(address: str) -> grpc.Channel:
    """Encrypted where an authority vouches for the service; in plaintext on this machine only."""
    authority = os.environ.get("CUTPURSE_CA")
    if authority is None:
        return grpc.insecure_channel(address, options=CHANNEL_OPTIONS)
    with open(authority, "rb") as file:
        credentials = grpc.ssl_channel_credentials(root_certificates=file.read())
    return grpc.secure_channel(address, credentials, options=CHANNEL_OPTIONS)


def play_stream(bot: Bot, address: str, token: str, matches: int) -> None:
    """Dial in, and play until the stream ends or so many matches are over. Raises grpc.RpcError."""
    outbox: queue.SimpleQueue[bot_pb2.ConnectRequest | None] = queue.SimpleQueue()
    outbox.put(bot_pb2.ConnectRequest(hello=bot_pb2.Hello(protocol_version=1, sdk="proto-only/1")))
    # In the iterator's form gRPC sends a frame as soon as the queue has one.
    requests: Iterator[bot_pb2.ConnectRequest] = iter(outbox.get, None)
    with open_channel(address) as channel:
        stream = bot_pb2_grpc.BotServiceStub(channel).Connect(
            requests, metadata=(("authorization", f"Bearer {token}"),)
        )
        try:
            for frame in stream:
                if frame.HasField("welcome"):
                    for said in bot.said_again():
                        outbox.put(said)
                for answer in bot.receive(frame):
                    outbox.put(answer)
                if frame.HasField("draining"):
                    # Say nothing more here; the service ends the stream, and another one takes over.
                    outbox.put(None)
                if len(bot.ended) >= matches:
                    return
        finally:
            outbox.put(None)
            stream.cancel()


def play(bot: Bot, address: str, token: str, matches: int) -> int:
    """Play on one stream after the other; the exit code."""
    attempt = 0
    while len(bot.ended) < matches:
        begun_s = time.monotonic()
        try:
            play_stream(bot, address, token, matches)
        except grpc.RpcError as error:
            # What a call raises is the call itself.
            if error.code() in FOR_GOOD:
                sys.stderr.write(f"refused: {error.code().name}: {error.details()}\n")
                return 1
        # A stream that ended at once was no success, whatever it said.
        attempt = 1 if time.monotonic() - begun_s > STEADY_S else attempt + 1
        if len(bot.ended) < matches:
            time.sleep(pause_s(attempt))
    return 0


if __name__ == "__main__":
    matches_wanted = int(sys.argv[1]) if len(sys.argv) > 1 else sys.maxsize
    first = Bot()
    code = play(first, os.environ["CUTPURSE_ADDRESS"], os.environ["CUTPURSE_TOKEN"], matches_wanted)
    for end in first.ended:
        place = end.result.placements[end.seat] if end.result.placements else "none"
        sys.stdout.write(f"match {end.match}: place {place}\n")
    sys.exit(code)
