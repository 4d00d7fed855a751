"""The Cutpurse SDK: write a bot in Python.

    import cutpurse_sdk

    def choose(decision):
        return decision.random.choice(decision.legal)

    cutpurse_sdk.run(choose)

Where the service is and who the bot is comes from the environment (`CUTPURSE_ADDRESS`, `CUTPURSE_TOKEN`) or from
arguments. `docs/write-a-bot.md` goes through it step by step.
"""

from cutpurse_sdk.answers import Answer
from cutpurse_sdk.client import Backoff, Client, Ending, connect
from cutpurse_sdk.decision import Decision
from cutpurse_sdk.errors import (
    AnswerInvalid,
    ChoiceNotTaken,
    CutpurseError,
    DecisionUnreadable,
    ServiceRefused,
    ServiceUnreachable,
    SettingsInvalid,
    SimulatorMissing,
    reason_name,
)
from cutpurse_sdk.play import Choose, Options, Summary, play, run
from cutpurse_sdk.session import Event, Refusal
from cutpurse_sdk.settings import Settings
from cutpurse_sdk.simulation import SimulatedMatch, Simulation, Simulator, simulate
from cutpurse_sdk.stream import Wishes

__all__ = [
    "Answer",
    "AnswerInvalid",
    "Backoff",
    "ChoiceNotTaken",
    "Choose",
    "Client",
    "CutpurseError",
    "Decision",
    "DecisionUnreadable",
    "Ending",
    "Event",
    "Options",
    "Refusal",
    "ServiceRefused",
    "ServiceUnreachable",
    "Settings",
    "SettingsInvalid",
    "SimulatedMatch",
    "Simulation",
    "Simulator",
    "SimulatorMissing",
    "Summary",
    "Wishes",
    "connect",
    "play",
    "reason_name",
    "run",
    "simulate",
]
