"""The conformance kit: the real service in test mode, and ordered scenarios that any bot in any language has to pass.

A relay stands between the bot and the service and does what a real service cannot be made to do on demand: it cuts,
doubles, holds back, and speaks of what only tomorrow's protocol knows. Everything behind it is the service itself.
"""

from cutpurse_server.conformance.checking import Check, check, with_needs
from cutpurse_server.conformance.scenario import Finding, Outcome, Scenario, Shortcoming
from cutpurse_server.conformance.scenarios import SCENARIOS

__all__ = ["SCENARIOS", "Check", "Finding", "Outcome", "Scenario", "Shortcoming", "check", "with_needs"]
