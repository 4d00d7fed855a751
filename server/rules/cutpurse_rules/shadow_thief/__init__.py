"""The Shadow Thief: a few deals, three to seven seats. Begin with `round.py`; `game.py` is the face."""

from cutpurse_rules.shadow_thief.game import ShadowThief

__all__ = ["ShadowThief"]
