"""All scenarios, in an order in which each comes after those that it needs."""

from __future__ import annotations

from cutpurse_server.conformance.scenario import Scenario
from cutpurse_server.conformance.scenarios.basics import BASICS
from cutpurse_server.conformance.scenarios.cuts import CUTS
from cutpurse_server.conformance.scenarios.encryption import ENCRYPTION
from cutpurse_server.conformance.scenarios.endings import ENDINGS
from cutpurse_server.conformance.scenarios.games import PLAYED
from cutpurse_server.conformance.scenarios.loads import LOADS
from cutpurse_server.conformance.scenarios.newer import NEWER
from cutpurse_server.conformance.scenarios.outages import OUTAGES
from cutpurse_server.conformance.scenarios.refusals import REFUSALS
from cutpurse_server.conformance.scenarios.repetitions import REPETITIONS
from cutpurse_server.conformance.scenarios.times import TIMES

__all__ = ["SCENARIOS"]

SCENARIOS: tuple[Scenario, ...] = (
    *BASICS,
    *PLAYED,
    *TIMES,
    *REFUSALS,
    *REPETITIONS,
    *CUTS,
    *OUTAGES,
    *NEWER,
    *LOADS,
    *ENCRYPTION,
    *ENDINGS,
)
