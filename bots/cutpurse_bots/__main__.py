"""`python -m cutpurse_bots NAME`: a house bot as a program that dials in, like anybody's bot."""

from __future__ import annotations

import argparse
import hashlib
import os
import sys
from collections.abc import Callable, Sequence

import cutpurse_sdk
from cutpurse.v1.match_pb2 import Decision
from cutpurse_bots import first_bot, greedy, random_bot

HouseBot = Callable[[Decision, bytes], str]

BOTS: dict[str, HouseBot] = {"random": random_bot.choose, "first": first_bot.choose, "greedy": greedy.choose}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; returns its exit code."""
    options = _parser().parse_args(arguments)
    bot = BOTS[options.name]
    seed = options.seed if options.seed is not None else os.environ.get("CUTPURSE_SEED")
    key = os.urandom(32) if seed is None else hashlib.sha256(seed.encode()).digest()

    def choose(decision: cutpurse_sdk.Decision) -> str:
        return bot(decision.message, key)

    try:
        summary = cutpurse_sdk.run(
            choose, address=options.address, token=options.token, ca=options.ca, matches=options.matches
        )
    except cutpurse_sdk.CutpurseError as error:
        sys.stderr.write(f"{error}\n")
        return 2 if isinstance(error, cutpurse_sdk.SettingsInvalid) else 1
    sys.stderr.write(
        f"{options.name}: {summary.matches} matches, {summary.decisions} decisions, {summary.ending.value}\n"
    )
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m cutpurse_bots",
        description="Play as a house bot at a Cutpurse service. Exit code: 0 in good order, 1 if the service refused "
        "or could not be reached, 2 for wrong arguments.",
    )
    parser.add_argument("name", choices=sorted(BOTS), help="which bot")
    parser.add_argument("--address", help="host:port or unix:/path (else CUTPURSE_ADDRESS)")
    parser.add_argument("--token", help="the bot's token (else CUTPURSE_TOKEN, which other users cannot see)")
    parser.add_argument("--seed", help="any text: play the same again in the same matches (else CUTPURSE_SEED)")
    parser.add_argument("--ca", help="file with the service's certificate authority, PEM (else CUTPURSE_CA)")
    parser.add_argument("--matches", type=int, help="end after so many matches (else play until stopped)")
    return parser


if __name__ == "__main__":
    sys.exit(main())
