"""A process that appends to an SQLite log until it is killed, and tells on its standard output what is durable.

    python -m tests.server.log.killed_writer PATH

It begins `STREAMS` streams, or goes on with them, and adds to all of them in every flush. A line `VERSION` says that
all streams hold that many events: it is written when the flush has returned, so whoever reads it may rely on it.
"""

import asyncio
import os
import sys

from cutpurse_server.log.sqlite import SQLiteLog
from tests.server.log.backends import append, event

STREAMS = [f"match/{number}" for number in range(8)]


def events_of_flush(version: int) -> int:
    """How many events the flush at a version adds to every stream: not always as many, for torn flushes to show."""
    return 1 + version % 3


async def append_until_killed(path: str) -> None:
    """Go on with every stream where it stands."""
    log = SQLiteLog(path)
    await log.open()
    head = await log.head(STREAMS[0])
    version = head.version if head else 0
    while True:
        count = events_of_flush(version)
        added = [event(version + each) for each in range(1, count + 1)]
        assert all(await log.flush([append(stream, version, added) for stream in STREAMS]))
        version += count
        os.write(1, f"{version}\n".encode())


if __name__ == "__main__":
    asyncio.run(append_until_killed(sys.argv[1]))
