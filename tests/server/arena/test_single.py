"""A match of programs: what its author hears of a bot that plays badly, that never comes, or that ends."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from cutpurse_rules.playthrough import Ended
from cutpurse_server.arena import single
from cutpurse_server.arena.plan import LOCAL_CLOCK, Entry
from cutpurse_server.arena.single import MatchFailed, play_programs

SETTINGS = {"heist_turn_limit": 2}


def play(folder: Path, program: str) -> list[str]:
    """Play a match of this Python program against `first`; what is noted."""
    (folder / "bot.py").write_text(program)
    entries = [Entry("mine", f"{sys.executable} {folder / 'bot.py'}", "me"), Entry("first", "first", "house")]
    notes: list[str] = []

    parts = asyncio.run(play_programs("art_robbery", SETTINGS, entries, "seed", notes.append))

    assert isinstance(parts[-1], Ended)
    return notes


def test_answers_that_are_refused_are_noted_with_the_first_of_them(tmp_path: Path) -> None:
    notes = play(tmp_path, "import cutpurse_sdk\ncutpurse_sdk.run(lambda decision: 'play X9')\n")

    [note] = notes
    assert note.startswith("mine gave answers that were refused")
    assert note.endswith("MALFORMED; the first in decision 1, where it answered 'play X9'")


def test_of_a_bot_that_plays_well_nothing_is_noted(tmp_path: Path) -> None:
    assert play(tmp_path, "import cutpurse_sdk\ncutpurse_sdk.run(lambda decision: 0)\n") == []


def test_a_bot_that_never_dials_in_is_noted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(single, "LOCAL_CLOCK", LOCAL_CLOCK._replace(warm_up_ms=3_000))

    [note] = play(tmp_path, "import time\ntime.sleep(600)\n")

    assert note.startswith("mine was not ready 3 s after the offer")


def test_a_bot_that_ends_again_and_again_ends_the_match_with_its_last_words(tmp_path: Path) -> None:
    program = "import cutpurse_sdk\ncutpurse_sdk.run(lambda decision: decision.legal[99])\n"

    with pytest.raises(MatchFailed, match=r"mine ended 3 times(?s:.*)IndexError"):
        play(tmp_path, program)
