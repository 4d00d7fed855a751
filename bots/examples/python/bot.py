"""A first bot: any legal action, by lot."""

import cutpurse_sdk


def choose(decision: cutpurse_sdk.Decision) -> str:
    """Answer a decision with one of its legal actions."""
    return decision.random.choice(decision.legal)


cutpurse_sdk.run(choose)
