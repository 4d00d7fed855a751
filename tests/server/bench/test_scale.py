"""Very many matches through the real log and reconciler: time and memory per match stay flat.

A short form by default. `CUTPURSE_SCALE=ENTRANTSxMATCHES`, such as 1000x100000, plays a longer one.
"""

import os
from itertools import pairwise
from pathlib import Path

import pytest

from cutpurse_server.bench.scale import play_scale
from cutpurse_server.log.sqlite import SQLiteLog
from cutpurse_server.tournaments.events import Format
from cutpurse_server.tournaments.record import TournamentRecord
from cutpurse_server.wire import tournament_events

ENTRANTS, MATCHES = (int(number) for number in os.environ.get("CUTPURSE_SCALE", "120x2400").split("x"))
LONG = MATCHES > 20_000


@pytest.mark.slow
@pytest.mark.timeout(7_200 if LONG else 240)
@pytest.mark.parametrize("format_", [Format.SWISS, Format.LADDER, Format.ROUND_ROBIN] if LONG else [Format.SWISS])
async def test_time_and_memory_per_match_stay_flat(tmp_path: Path, format_: Format) -> None:
    log = SQLiteLog(tmp_path / "log.sqlite")
    await log.open()

    tenths = await play_scale(log, ENTRANTS, MATCHES, format_)

    stored = await log.read("tournament/scale")
    await log.close()
    record = TournamentRecord.of([tournament_events.decode(each) for each in stored], stored)
    assert record.finished is not None
    assert record.matches_done == pytest.approx(MATCHES, rel=0.01)
    # Medians, since the machine has other things to do as well; the first tenth warms up.
    early, late = (sorted(each.processor_seconds / each.matches for each in part) for part in (tenths[1:5], tenths[6:]))
    assert late[len(late) // 2] < 1.6 * early[len(early) // 2]
    growth = [after.memory_bytes - before.memory_bytes for before, after in pairwise(tenths)]
    # What ended is kept: its result, its head, its bots; about a kilobyte. In the short form, caches still fill.
    assert sorted(growth[4:])[2] / tenths[0].matches < (2_000 if LONG else 12_000)
    # What shrinks at first is memory that earlier tests have left.
    assert sum(growth[5:]) <= 1.5 * max(0, sum(growth[:4])) + 8_000_000
