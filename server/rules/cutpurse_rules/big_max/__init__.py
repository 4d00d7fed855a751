"""Big Max's Inheritance: three to eight seats. Begin with `turn.py`; `game.py` is the face."""

from cutpurse_rules.big_max.game import BigMax

__all__ = ["BigMax"]
