"""Runs the scenarios with one bot: in order, several at once, none without those that it needs."""

from __future__ import annotations

import asyncio
import tempfile
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from cutpurse_server.conformance.scenario import Finding, Outcome, Scenario, Shortcoming
from cutpurse_server.conformance.scenarios import SCENARIOS
from cutpurse_server.conformance.stage import QUICK, open_stage

__all__ = ["Check", "check", "with_needs"]

_SCENARIO_S_MAX = 90.0
"""No scenario takes longer, whatever the bot does."""

Show = Callable[[Finding], None]
"""Called with every finding, in the order of the scenarios."""


@dataclass(frozen=True, slots=True)
class Check:
    """What to check, and how."""

    command: Sequence[str]
    """The bot's program and its arguments."""
    games: tuple[str, ...]
    """The games that it plays."""
    at_once: int = 3
    """Scenarios at a time."""
    patience: float = 1.0
    """By how much every time limit is longer than usual."""


def with_needs(names: Collection[str]) -> list[Scenario]:
    """The scenarios of these names and all that they need, in order. Raises KeyError for a name that there is not."""
    known = {scenario.name: scenario for scenario in SCENARIOS}
    wanted, todo = set[str](), list(names)
    while todo:
        name = todo.pop()
        if name not in wanted:
            wanted.add(name)
            todo.extend(known[name].needs)
    return [scenario for scenario in SCENARIOS if scenario.name in wanted]


async def check(asked: Check, scenarios: Sequence[Scenario], show: Show) -> list[Finding]:
    """Run scenarios, each of which comes after those that it needs; their findings in the same order."""
    slots = asyncio.Semaphore(asked.at_once)
    running: dict[str, asyncio.Task[Finding]] = {}

    async def found(scenario: Scenario) -> Finding:
        if scenario.game and scenario.game not in asked.games:
            return Finding(scenario, Outcome.NOT_RUN, f"{scenario.game} is none of the games that were asked for")
        for need in scenario.needs:
            before = await running[need]
            if before.outcome is not Outcome.PASSED:
                return Finding(scenario, Outcome.NOT_RUN, f"it needs {need}, which was {before.outcome.value}")
        async with slots:
            return await _run(asked, scenario)

    try:
        for scenario in scenarios:
            running[scenario.name] = asyncio.create_task(found(scenario))
        findings = []
        for task in running.values():
            findings.append(await task)
            show(findings[-1])
        return findings
    finally:
        for task in running.values():
            # A second time would break its tidying up off.
            if not task.cancelling():
                task.cancel()
        await asyncio.gather(*running.values(), return_exceptions=True)


async def _run(asked: Check, scenario: Scenario) -> Finding:
    """One scenario on a stage of its own."""
    begun_s = time.monotonic()
    text, output = "", ""
    quick = QUICK[asked.games[0]]
    with tempfile.TemporaryDirectory(prefix="cutpurse-") as folder:
        async with open_stage(
            asked.command, quick, asked.patience, Path(folder), on_socket=scenario.on_socket
        ) as stage:
            try:
                async with asyncio.timeout(_SCENARIO_S_MAX * asked.patience):
                    await scenario.play(stage)
                    stage.behaved()
            except Shortcoming as shortcoming:
                text = str(shortcoming)
            except TimeoutError:
                text = f"it was not done after {_SCENARIO_S_MAX * asked.patience:.0f} s"
            output = stage.output
    outcome = Outcome.FAILED if text else Outcome.PASSED
    return Finding(scenario, outcome, text, time.monotonic() - begun_s, output if text else "")
