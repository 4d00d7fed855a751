"""A bot from the protocol alone: grpc and the generated code, no SDK. Plays one match with the first legal actions.

    CUTPURSE_ADDRESS=127.0.0.1:50051 CUTPURSE_TOKEN=... python bot.py

It keeps to the happy path on purpose: what it lacks (dialling in again, sending an answer again whose reply was lost,
putting a refused answer right) is what an SDK is for. `proto/cutpurse/v1/bot.proto` tells the whole story.
"""

import os
import queue
import sys
import uuid
from collections.abc import Iterator

import grpc

from cutpurse.v1 import bot_pb2, bot_pb2_grpc, match_pb2


def play(address: str, token: str) -> bot_pb2.MatchEnded:
    """Dial in, play one match, and return its end."""
    outbox: queue.SimpleQueue[bot_pb2.ConnectRequest | None] = queue.SimpleQueue()
    outbox.put(bot_pb2.ConnectRequest(hello=bot_pb2.Hello(protocol_version=1, sdk="proto-only/1")))
    # In the iterator's form gRPC sends a frame as soon as the queue has one.
    requests: Iterator[bot_pb2.ConnectRequest] = iter(outbox.get, None)
    with grpc.insecure_channel(address) as channel:
        stream = bot_pb2_grpc.BotServiceStub(channel).Connect(
            requests, metadata=(("authorization", f"Bearer {token}"),)
        )
        try:
            for frame in stream:
                for ended in frame.ended:
                    return ended
                for refused in frame.refused:
                    raise RuntimeError(f"refused: {refused.text}")
                answer = bot_pb2.ConnectRequest(
                    readies=[bot_pb2.Ready(match=offer.match) for offer in frame.offers],
                    choices=[
                        match_pb2.Choice(
                            match=decision.match,
                            decision=decision.decision,
                            request_id=uuid.uuid4().bytes,
                            notation=decision.legal[0],
                        )
                        for decision in frame.decisions
                    ],
                )
                if answer.readies or answer.choices:
                    outbox.put(answer)
        finally:
            outbox.put(None)
            stream.cancel()
    raise RuntimeError("the service ended the stream before the match was over")


if __name__ == "__main__":
    end = play(os.environ["CUTPURSE_ADDRESS"], os.environ["CUTPURSE_TOKEN"])
    sys.stdout.write(f"match {end.match}: place {end.result.placements[end.seat]}\n")
