"""The bots that others start from pass all that there is."""

import shlex
import sys
from pathlib import Path

import pytest

from cutpurse_rules import GAMES
from cutpurse_server.conformance import SCENARIOS, Check, Outcome, check

EXAMPLES = Path(__file__).parents[2] / "bots" / "examples"


@pytest.mark.slow
@pytest.mark.timeout(400)
@pytest.mark.parametrize("bot", ["python", "python_proto_only"])
async def test_an_example_bot_passes_every_scenario(bot: str) -> None:
    command = [sys.executable, shlex.quote(str(EXAMPLES / bot / "bot.py"))]

    findings = await check(Check(command, tuple(GAMES), patience=3.0), SCENARIOS, lambda _: None)

    assert [
        (each.scenario.name, each.text, each.output) for each in findings if each.outcome is not Outcome.PASSED
    ] == []
    assert len(findings) == len(SCENARIOS)
