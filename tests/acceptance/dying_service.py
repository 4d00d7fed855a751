"""`cutpurse`, whose process is killed -9 at a named point of its nth transaction that adds to matches.

    python dying_service.py POINT NUMBER ARGUMENT…

The points: `before the commit`, when a flush has been decided and nothing of it is written; `between commit and reply`,
when it is durable and nobody has been told.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence

from cutpurse_server.cli import main
from cutpurse_server.log.port import Append
from cutpurse_server.log.sqlite import SQLiteLog

BEFORE_THE_COMMIT = "before the commit"
BETWEEN_COMMIT_AND_REPLY = "between commit and reply"


def die_at(point: str, number: int) -> None:
    """Have this process killed there."""
    original = SQLiteLog.flush
    left = number

    async def deadly(self: SQLiteLog, appends: Sequence[Append]) -> Sequence[bool]:
        nonlocal left
        if any(append.stream.startswith("match/") for append in appends):
            left -= 1
        if left == 0 and point == BEFORE_THE_COMMIT:
            os.kill(os.getpid(), signal.SIGKILL)
        took_place = await original(self, appends)
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return took_place

    SQLiteLog.flush = deadly  # type: ignore[method-assign]


if __name__ == "__main__":
    die_at(sys.argv[1], int(sys.argv[2]))
    sys.argv[1:] = sys.argv[3:]
    main()
