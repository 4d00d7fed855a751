"""Much at once and much in a row: a crowd of matches, large frames, long matches; and the other kind of address."""

from __future__ import annotations

from cutpurse.v1 import bot_pb2
from cutpurse_server.conformance.relay import Line, Script
from cutpurse_server.conformance.scenario import Scenario, Shortcoming
from cutpurse_server.conformance.stage import START_S, Stage, Terms

__all__ = ["LOADS"]

_CROWD = 300
_LARGE_BYTES = 6 * 1024 * 1024
_LARGE = b"\x82\x7d" + b"\x80\x80\x80\x03" + bytes(_LARGE_BYTES)
"""An unknown field of 6 MiB."""
_LASTING = {
    **{"SC": 20, "H2": 6, "H3": 6, "H4": 5, "H6": 3, "T2": 6, "T3": 6, "T4": 5, "T5": 4, "T6": 3, "CS": 12, "GM": 8},
    "MT": 0,
}
"""A deck of Big Max's Inheritance with which nobody can win."""
_LONG = Terms("big_max", 3, {"turn_limit": 2_400, "deck": _LASTING})
"""Some thousand decisions for every seat."""


async def _crowd(stage: Stage) -> None:
    await stage.arrive()
    matches = [f"crowd-{number}" for number in range(_CROWD)]
    stage.opponents.silent.update(matches)
    for match in matches:
        await stage.begin(match=match)
    missing = set(matches)

    def all_ready() -> bool:
        missing.difference_update(stage.ledger.readies)
        return not missing

    await stage.until(all_ready, f"it had not said Ready for all of {_CROWD} matches", START_S)
    for match in matches:
        await stage.void(match)
    await stage.play()


class _Large(Script):
    """Makes two frames larger than gRPC's own limit."""

    def __init__(self) -> None:
        self.left = 2

    async def from_service(self, line: Line, frame: bot_pb2.ConnectResponse) -> None:
        if frame.decisions and self.left:
            self.left -= 1
            frame.MergeFromString(_LARGE)
        await line.tell_bot(frame)


async def _large_frames(stage: Stage) -> None:
    stage.relay.script = _Large()
    await stage.arrive()
    await stage.play()
    if stage.relay.lines > 1:
        raise Shortcoming("its stream broke at a frame of 6 MiB, and it dialled in again")


async def _long_match(stage: Stage) -> None:
    await stage.arrive()
    await stage.play(_LONG)


async def _on_socket(stage: Stage) -> None:
    await stage.arrive()
    await stage.play()


LOADS = (
    Scenario(
        "crowd",
        f"gets ready for {_CROWD} matches that are offered together, and lets them go",
        "After a restart everything comes at once: hundreds of offers and decisions in a frame, hundreds of ends.",
        "Put at most 256 readies and 256 choices, and at most Welcome.frame_bytes_max bytes, into one frame; the rest "
        "goes into the next. Forget a match when it has ended.",
        _crowd,
        ("many-matches", "voided-match"),
    ),
    Scenario(
        "large-frames",
        "reads frames of several mebibytes",
        "A frame may hold 256 decisions, each with a view of its own. gRPC refuses more than 4 MiB unless told.",
        "Set the channel's limit for received messages to 64 MiB (grpc.max_receive_message_length, "
        "MaxCallRecvMsgSize, maxInboundMessageSize, max_decoding_message_size).",
        _large_frames,
        ("unknown-fields",),
    ),
    Scenario(
        "long-match",
        "plays a match of a thousand decisions",
        "Some matches last. What grows with every decision, or slows down with it, shows only there.",
        "Forget what you know of a decision when the next one comes.",
        _long_match,
        ("big-max",),
        "big_max",
    ),
    Scenario(
        "unix-socket",
        "dials a unix socket where CUTPURSE_ADDRESS begins with unix:",
        "Tournaments that isolate their bots give them a socket, and no network.",
        "Pass unix:/path to gRPC as it is; where the library needs another channel for sockets, choose by the prefix.",
        _on_socket,
        ("plays-a-match",),
        on_socket=True,
    ),
)
