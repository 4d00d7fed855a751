"""Tournaments: a log each, and a reconciler that makes happen what follows from it.

- `events`, `record`: the facts of a tournament's log, and the fold over them.
- `schedule`, `deals`, `standings`: pure functions, which the audit computes again.
- `playing`, `reconciler`: what is to be done next, and doing it.
- `store`, `organising`: reading and appending; what organisers and spectators do.
- `telling`, `bot_log`: what was done, in words; what a bot did, for its owner.
"""

from cutpurse_server.tournaments.organising import Overview, Progress, Tournaments

__all__ = ["Overview", "Progress", "Tournaments"]
