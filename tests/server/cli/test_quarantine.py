"""Quarantine and a bot's own log, as a person types the commands."""

import json

import pytest

from cutpurse_server.cli import remote_tournament
from cutpurse_server.cli.remote import Organiser
from cutpurse_server.serve import Service
from tests.server.cli.test_organising import Type, there

__all__ = ["there"]

MATCH = {
    "match": "cup.1",
    "seat": 1,
    "placement": 2,
    "points": 0.25,
    "choices": [{"took_ms": 5}, {"took_ms": 9}],
    "faults": [
        {
            "kind": "BOT_FAULT_KIND_REFUSED",
            "cause": "CAUSE_ILLEGAL",
            "decision": 3,
            "notation": "[b]x\x1b[2J",
            "strike": False,
        },
        {"kind": "BOT_FAULT_KIND_DEFAULT", "cause": "CAUSE_TIMEOUT", "decision": 4, "notation": "pass", "strike": True},
        {"kind": "BOT_FAULT_KIND_FORFEIT", "cause": "CAUSE_TIMEOUT", "decision": 4, "notation": "", "strike": False},
        {"kind": "BOT_FAULT_KIND_REFUSED", "cause": "CAUSE_ILLEGAL", "decision": 9, "notation": "", "strike": False},
    ],
}


async def test_a_bot_is_quarantined_shown_and_released(there: tuple[Service, Type]) -> None:
    service, typed = there
    await typed("tournament", "create", "cup", "--game", "art_robbery")
    for bot in ("ann", "ben"):
        await typed("tournament", "enter", "cup", bot)
    await typed("tournament", "start", "cup")

    said = await typed("tournament", "quarantine", "cup", "ann", "--reason", "it keeps ending")
    shown = (await service.tournaments.get("cup")).quarantined
    await typed("tournament", "release", "cup", "ann", "--reason", "mended")
    await typed("tournament", "finish", "cup", "--reason", "enough")
    watched = await typed("tournament", "watch", "cup")
    lines = [json.loads(line) for line in (await typed("tournament", "watch", "cup", "--json")).splitlines()]

    assert "cutpurse tournament release cup ann" in said
    assert shown == {"ann": "it keeps ending"}
    assert "ann is in quarantine: it keeps ending" in watched
    assert "ann is out of quarantine: mended" in watched
    assert [line["type"] for line in lines[-2:]] == ["progress", "standings"]
    assert lines[-1]["final"] is True
    assert [line["kind"] for line in lines if line["type"] == "notice"][:2] == [
        "TOURNAMENT_NOTICE_KIND_QUARANTINED",
        "TOURNAMENT_NOTICE_KIND_RELEASED",
    ]


async def test_the_faults_of_a_bot_that_is_not_there_are_not_told(there: tuple[Service, Type]) -> None:
    _, typed = there
    await typed("tournament", "create", "cup", "--game", "art_robbery")
    await typed("tournament", "enter", "cup", "ann")

    assert "no such bot of yours" in await typed("tournament", "faults", "cup", "ben", code=2)
    assert json.loads(await typed("tournament", "faults", "cup", "ann", "--json")) == []


def test_faults_that_are_the_same_are_told_together() -> None:
    late = {"kind": "BOT_FAULT_KIND_DEFAULT", "cause": "CAUSE_CRASHED", "notation": "pass", "strike": True}
    never = {"kind": "BOT_FAULT_KIND_FORFEIT", "cause": "CAUSE_CRASHED", "notation": "", "strike": False}

    told = remote_tournament._faults_in_words(
        [late | {"decision": number} for number in (2, 3, 5, 8, 13, 21, 34)] + [never | {"decision": 0}]
    )

    assert told == [
        "decisions 2, 3, 5, 8, 13 and 2 more: default, crashed, a strike",
        "before the start: forfeit, crashed",
    ]


def test_faults_are_told_in_words_a_few_for_each_match(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class There(Organiser):
        def __init__(self) -> None:
            pass

        def bot_log(self, tournament: str, bot: str):  # type: ignore[no-untyped-def]
            yield MATCH

    monkeypatch.setattr(remote_tournament, "_WIDTH", 240)
    remote_tournament.faults(There(), "cup", "ann")

    said = " ".join(capsys.readouterr().out.split())
    assert "decision 3: refused, illegal ([b]x\\x1b[2J)" in said
    assert "decision 4: default, timeout, a strike" in said
    assert "and 1 more" in said
