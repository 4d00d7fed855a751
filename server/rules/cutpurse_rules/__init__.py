"""The games of Cutpurse as pure functions; standard library only.

`GAMES` is the table of games, each of which fulfils `contract.Game`; `playthrough` plays a match with them, `trace`
writes one down.
"""

from cutpurse_rules.catalogue import GAMES

__all__ = ["GAMES"]
