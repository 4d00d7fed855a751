"""The one place in which what a service takes from its surroundings is replaced: chance, clocks, the size of deals.

Salts, tokens, keys and secrets come from `os.urandom` and `secrets.token_bytes`, here from the simulation's seed.
Steady clocks are the loop's. A tournament's deals are committed to in fewer slots, since hashing them takes seconds.
"""

from __future__ import annotations

import asyncio
import os
import random
import secrets
from collections.abc import Iterator, MutableMapping
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest
from structlog.testing import capture_logs

from cutpurse_server.audit import tournament as tournament_audit
from cutpurse_server.matches import desk
from cutpurse_server.matches.stalls import Stalls
from cutpurse_server.servicers import connection, hub
from cutpurse_server.tournaments import deals, manifests, organising, schedule
from cutpurse_server.wire import sealing

__all__ = ["simulated_surroundings"]

_DEAL_SLOTS = 256


def _loop_s() -> float:
    return asyncio.get_running_loop().time()


@contextmanager
def simulated_surroundings(seed: str) -> Iterator[list[MutableMapping[str, Any]]]:
    """Replace them in the block; what the service logs is collected."""
    draw = random.Random(f"{seed}/surroundings").randbytes
    with pytest.MonkeyPatch.context() as patch, capture_logs() as lines:
        patch.setattr(os, "urandom", draw)
        patch.setattr(secrets, "token_bytes", draw)
        patch.setattr(sealing, "_salts", [])
        patch.setattr(desk, "Stalls", partial(Stalls, now_s=_loop_s))
        patch.setattr(connection, "monotonic", _loop_s)
        patch.setattr(hub, "monotonic", _loop_s)
        for module in (deals, manifests, organising, schedule, tournament_audit):
            patch.setattr(module, "DEAL_SLOTS", _DEAL_SLOTS)
        yield lines
