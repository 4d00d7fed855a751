"""Big Max's Inheritance: three to eight seats. Begin with `turn.py`; `game.py` is the face."""
