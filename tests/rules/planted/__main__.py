"""``python -m tests.rules.planted``: every planted fault, the ruling that it breaks, and the test that notices it."""

import argparse
import os
import sys

from tests.rules.planted.running import Outcome, Trial, faults_by_game, run_trials


def main(arguments: list[str]) -> int:
    """Try the faults and print the table; return 0 if all were caught by tests that pass otherwise, else 1."""
    games = faults_by_game()
    parser = argparse.ArgumentParser(
        prog="python -m tests.rules.planted",
        description="Plants faults into copies of the rules, one at a time, and shows which test notices each.",
        epilog="Exit code 0 if every fault was caught by its test, else 1. The rules themselves are not touched.",
    )
    parser.add_argument("--game", choices=sorted(games), help="only this game's faults")
    parser.add_argument("--only", default="", metavar="TEXT", help="only faults with this text in name or ruling")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, metavar="N", help="so many at a time")
    asked = parser.parse_args(arguments)
    chosen = [
        (game, fault)
        for game, faults in games.items()
        for fault in faults
        if asked.game in (None, game) and asked.only in f"{fault.name} {fault.ruling}"
    ]
    # A test that fails anyway would catch anything.
    sound: Trial = (None, sorted({fault.caught_by for _, fault in chosen}))
    trials: list[Trial] = [(fault, [fault.caught_by]) for _, fault in chosen]
    outcomes = run_trials([sound, *trials], max(1, asked.jobs))
    without = next(outcomes)
    print(f"without a fault: {'all tests pass' if without.passed else f'{without.test} fails, {without.error}'}")
    width = max((len(fault.name) for _, fault in chosen), default=0)
    missed = 0
    for (game, fault), outcome in zip(chosen, outcomes, strict=True):
        missed += not outcome.caught
        print(f"{game:12}  {fault.name:{width}}  {fault.ruling:10}  {described(outcome)}", flush=True)
    print(f"{len(chosen)} faults, {len(chosen) - missed} caught, {missed} missed")
    return 0 if without.passed and not missed else 1


def described(outcome: Outcome) -> str:
    """The test that failed, or what went wrong instead."""
    if outcome.caught:
        return f"{(outcome.test or '').removeprefix('tests/rules/')} ({outcome.error})"
    if outcome.passed:
        return "MISSED: the test passes"
    return f"MISSED: the faulty rules cannot be run: {outcome.error}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
