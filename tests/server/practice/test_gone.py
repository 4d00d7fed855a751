"""A practice whose bots do not come, or do not get ready: it says so, and waits for nobody in vain."""

import shlex
import sys

import pytest

from cutpurse_server.arena.plan import Entry
from cutpurse_server.matches.events import Clock
from cutpurse_server.practice import BotGone, Practice, parts, play_part

IDLE = "print('what is an arena?', flush=True)\nimport time\ntime.sleep(60)"
NEVER_READY = (
    "import time, cutpurse_sdk\nprint('let me think', flush=True)\n"
    "cutpurse_sdk.run(lambda decision: 0, on_match=lambda offer: time.sleep(60))"
)


def practice(code: str) -> Practice:
    command = shlex.join([sys.executable, "-c", code])
    entries = tuple(Entry(name, command, name) for name in ("ann", "ben"))
    return Practice("art_robbery", {}, Clock(warm_up_ms=1_000), entries, "a seed", 2, 2)


async def test_a_bot_that_runs_and_never_dials_in_is_not_waited_for_without_end(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(parts, "_DIALS_IN_S", 2.0)

    with pytest.raises(BotGone, match=r"(?s)ann has not dialled in after 2 s.*what is an arena\?"):
        await play_part(practice(IDLE), [1, 2], lambda _: (), lambda _: None)


async def test_a_match_for_which_nobody_gets_ready_ends_the_practice() -> None:
    with pytest.raises(BotGone, match=r"(?s)no bot got ready for match .*ann:\n.*let me think.*ben:"):
        await play_part(practice(NEVER_READY), [1, 2], lambda _: (), lambda _: None)
