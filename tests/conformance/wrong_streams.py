"""Bots that dial wrongly: each plays as `play` of the example bot does, but for one thing."""

import os
import signal
import ssl
import tempfile
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any

import grpc

from cutpurse.v1 import bot_pb2
from tests.conformance.right_bot import example

Play = Callable[[Any, str, str, int], int]


def crashes_on_reconnect(bot: Any, address: str, token: str, matches: int) -> int:
    """Plays on one stream, and ends with it, however it ends."""
    example.play_stream(bot, address, token, matches)
    return 0


def ends_with_the_stream(bot: Any, address: str, token: str, matches: int) -> int:
    """Dials in again when a stream fails, and thinks that all is done when one ends well."""
    attempt = 0
    while True:
        begun_s = time.monotonic()
        try:
            example.play_stream(bot, address, token, matches)
            return 0
        except grpc.RpcError as error:
            if error.code() in example.FOR_GOOD:
                return 1
        attempt = 1 if time.monotonic() - begun_s > example.STEADY_S else attempt + 1
        time.sleep(example.pause_s(attempt))


def never_pauses(bot: Any, address: str, token: str, matches: int) -> int:
    """Dials in again at once."""
    example.pause_s = lambda attempt: 0.0
    return int(example.play(bot, address, token, matches))


def pauses_once_welcome(bot: Any, address: str, token: str, matches: int) -> int:
    """Takes every Welcome for a success, after which pauses are short again."""
    receive, pause_s = bot.receive, example.pause_s

    def welcomed(frame: bot_pb2.ConnectResponse) -> Any:
        if frame.HasField("welcome"):
            example.STEADY_S = 0.0
        return receive(frame)

    def paused(attempt: int) -> float:
        example.STEADY_S = 5.0
        return float(pause_s(attempt))

    bot.receive, example.pause_s = welcomed, paused
    return int(example.play(bot, address, token, matches))


def never_gives_up(bot: Any, address: str, token: str, matches: int) -> int:
    """Tries again whatever the service said."""
    example.FOR_GOOD = set()
    return int(example.play(bot, address, token, matches))


class _Reluctant(set[grpc.StatusCode]):
    """Denies at first what it holds, and tells once it has been asked for it some times."""

    asked = 0

    def __contains__(self, code: object) -> bool:
        if not super().__contains__(code):
            return False
        self.asked += 1
        return self.asked > 5


def gives_up_slowly(bot: Any, address: str, token: str, matches: int) -> int:
    """Tries a few times more when it is refused for good."""
    example.FOR_GOOD = _Reluctant(example.FOR_GOOD)
    return int(example.play(bot, address, token, matches))


def gives_up(bot: Any, address: str, token: str, matches: int) -> int:
    """Ends well when it is refused."""
    example.play(bot, address, token, matches)
    return 0


def ignores_sigterm(bot: Any, address: str, token: str, matches: int) -> int:
    """Plays on until it is killed."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    return int(example.play(bot, address, token, matches))


def speaks_plaintext(bot: Any, address: str, token: str, matches: int) -> int:
    """Knows nothing of certificates."""
    os.environ.pop("CUTPURSE_CA", None)
    return int(example.play(bot, address, token, matches))


def trusts_anybody(bot: Any, address: str, token: str, matches: int) -> int:
    """Takes the certificate that the service shows for its authority."""
    if "CUTPURSE_CA" in os.environ:
        host, _, port = address.rpartition(":")
        with tempfile.NamedTemporaryFile("w", suffix=".pem") as shown:
            shown.write(ssl.get_server_certificate((host, int(port))))
            shown.flush()
            os.environ["CUTPURSE_CA"] = shown.name
            return int(example.play(bot, address, token, matches))
    return int(example.play(bot, address, token, matches))


def small_frames(bot: Any, address: str, token: str, matches: int) -> int:
    """Leaves gRPC's limit where it is."""
    example.CHANNEL_OPTIONS = (("grpc.use_local_subchannel_pool", 1),)
    return int(example.play(bot, address, token, matches))


def impatient(bot: Any, address: str, token: str, matches: int) -> int:
    """Gives a stream up that does not begin within a second."""

    class Impatient(example.bot_pb2_grpc.BotServiceStub):  # type: ignore[misc]
        def __init__(self, channel: grpc.Channel) -> None:
            super().__init__(channel)
            connect: Any = self.Connect  # type: ignore[has-type]

            def within_a_second(requests: Any, metadata: Any) -> Any:
                stream = connect(requests, metadata=metadata)
                signal.signal(signal.SIGALRM, lambda number, frame: stream.cancel())
                signal.alarm(1)
                first = next(stream, None)
                signal.alarm(0)
                return _Begun(first, stream)

            self.Connect = within_a_second

    class _Begun:
        def __init__(self, first: Any, stream: Any) -> None:
            self.first, self.stream, self.cancel = first, stream, stream.cancel

        def __iter__(self) -> Any:
            yield self.first
            yield from self.stream

    example.bot_pb2_grpc.BotServiceStub = Impatient
    return int(example.play(bot, address, token, matches))


def only_ports(bot: Any, address: str, token: str, matches: int) -> int:
    """Knows no address but HOST:PORT."""
    host, port = address.split(":")
    return int(example.play(bot, f"{host}:{int(port)}", token, matches))


def nowhere(bot: Any, address: str, token: str, matches: int) -> int:
    """Dials somewhere else."""
    return int(example.play(bot, "127.0.0.1:1", token, matches))


def without_bearer(bot: Any, address: str, token: str, matches: int) -> int:
    """Gives its token under another name."""
    stub = example.bot_pb2_grpc.BotServiceStub

    class Stub(stub):  # type: ignore[misc, valid-type]
        def __init__(self, channel: grpc.Channel) -> None:
            super().__init__(channel)
            connect: Any = self.Connect  # type: ignore[has-type]
            self.Connect = lambda requests, metadata: connect(requests, metadata=(("token", token),))

    example.bot_pb2_grpc.BotServiceStub = Stub
    return int(example.play(bot, address, token, matches))


def other_version(bot: Any, address: str, token: str, matches: int) -> int:
    """Speaks a version that there is not."""
    hello = bot_pb2.Hello
    example.bot_pb2 = _with_hello(lambda **said: hello(**{**said, "protocol_version": 0}))
    return int(example.play(bot, address, token, matches))


def _with_hello(make: Callable[..., bot_pb2.Hello]) -> ModuleType:
    module = ModuleType("bot_pb2")
    module.__dict__.update(bot_pb2.__dict__)
    module.__dict__["Hello"] = make
    return module


PLAYS: dict[str, Play] = {
    play.__name__.replace("_", "-"): play
    for play in (
        crashes_on_reconnect, ends_with_the_stream, never_pauses, pauses_once_welcome, never_gives_up, gives_up,
        gives_up_slowly, ignores_sigterm, speaks_plaintext, trusts_anybody, small_frames, impatient, only_ports,
        nowhere, without_bearer, other_version,
    )
}  # fmt: skip
