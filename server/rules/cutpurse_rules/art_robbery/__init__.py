"""Art Robbery: four heists, two to five seats. Begin with `turn.py`; `game.py` is the face."""

from cutpurse_rules.art_robbery.game import ArtRobbery

__all__ = ["ArtRobbery"]
