"""The schedule: which matches a tournament consists of. A pure fold over its log.

What a format draws (formats/) is sets of bots at tables, round by round: all rounds at the start where they do not
depend on results, else each when every table of the one before has ended. At every table one block is played. A
*block* is n matches of the same n bots in rotated seats: in rotation r the table's bot number i sits in seat (i + r)
mod n. Each match has a slot of its own, numbered by its position in the schedule, and with it a deal of its own.

Every order that is free is drawn by HMAC-SHA-256 under the deals' secret (deals.py) from nothing but numbers: entrants
are numbered from 0 in order of their names, late ones after them. For example

    a table of the entrants i < j < … in round r       HMAC-SHA-256(secret, "cutpurse/table/v2" ‖ 0x00 ‖ "r i j …")
    entrant k at that table                            HMAC-SHA-256(secret, "cutpurse/seat/v2" ‖ 0x00 ‖ "r i j … k")

So nobody can make the schedule before the secret is opened: a bot that could would know its opponents by counting its
matches. And no bot always sits behind the same other one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntEnum
from fractions import Fraction

from cutpurse_server.tournaments.blocks import ATTEMPTS_MAX, Block, BlockKey, ScheduledMatch
from cutpurse_server.tournaments.deals import DEAL_SLOTS
from cutpurse_server.tournaments.events import (
    BlockCompleted,
    Entrant,
    LeaveCause,
    Lot,
    Manifest,
    RoundDrawn,
    TournamentCreated,
    Verdict,
)
from cutpurse_server.tournaments.formats import KINDS, Course, Draw, Table
from cutpurse_server.tournaments.formats.course import TiedLot, block_units
from cutpurse_server.tournaments.formats.gauntlet import Bets

__all__ = [
    "ATTEMPTS_MAX",
    "Block",
    "BlockKey",
    "Schedule",
    "ScheduleTooLarge",
    "ScheduledMatch",
    "check_size",
]


class ScheduleTooLarge(Exception):
    """More matches than there are slots; the text says how many, and what to change."""


class _State(IntEnum):
    """How it stands with a block."""

    OPEN = 0
    COMPLETED = 1
    VOIDED = 2
    """As often as it may be."""
    DROPPED = 3
    """It is not to be played, or not any more."""


def check_size(manifest: Manifest, entrants: int) -> int:
    """How many matches so many entrants make at most, one for each slot; raises `ScheduleTooLarge`."""
    matches = KINDS[manifest.format].matches_max(manifest, entrants)
    if matches > DEAL_SLOTS:
        raise ScheduleTooLarge(
            f"{entrants} entrants at tables of {manifest.players} in {manifest.rounds} rounds make {matches:,} "
            f"matches, and a tournament has at most {DEAL_SLOTS:,}: "
            "take fewer entrants, smaller tables or fewer rounds, or limit the tables of a round."
        )
    return matches


class Schedule:
    """All blocks drawn so far, in order, and how it stands with them."""

    def __init__(self, created: TournamentCreated, entrants: Sequence[Entrant]) -> None:
        """Raises `ScheduleTooLarge`. There must be enough entrants for one table, each named once."""
        assert len({entrant.bot for entrant in entrants}) == len(entrants) >= created.manifest.players
        self.created = created
        check_size(created.manifest, len(entrants))
        self._course = Course(created, entrants)
        self._pairing = KINDS[created.manifest.format].pairing(self._course)
        self._blocks: list[Block] = []
        self._states = bytearray()
        self._first: list[int] = []
        """The position of the first block of each round."""
        self._cut_short = False
        self._due: Draw | None = None
        self._due_is_known = False
        self._prefix = 0
        """Gauntlet: how many blocks at the front have ended and were looked at."""
        self._bets = self._new_bets()
        fixed = self._pairing.fixed()
        self._is_fixed = fixed is not None
        for tables in fixed or ():
            self._begin_round(tables, ())

    @property
    def entrants(self) -> tuple[Entrant, ...]:
        """By number."""
        return tuple(self._course.entrants)

    @property
    def blocks(self) -> Sequence[Block]:
        """All blocks drawn so far, in schedule order. It grows; it is not to be changed."""
        return self._blocks

    @property
    def rounds(self) -> int:
        """Rounds drawn so far."""
        return len(self._first)

    @property
    def matches_total(self) -> int:
        """Matches of all blocks that were drawn and not dropped; where rounds are to be drawn, with those expected."""
        players = self.created.manifest.players
        there = (len(self._blocks) - self._states.count(_State.DROPPED)) * players
        if self._is_fixed or self._cut_short or self.is_over:
            return there
        manifest = self.created.manifest
        return max(there, KINDS[manifest.format].matches_expected(manifest, len(self._course.entrants)))

    @property
    def verdict(self) -> Verdict | None:
        """What a gauntlet has shown; None for other formats, and while it runs."""
        return self._course.verdict

    @property
    def is_over(self) -> bool:
        """Whether nothing is left to play and nothing to draw."""
        return not self._course.tables_open and self.next_draw() is None

    def block(self, key: BlockKey) -> Block | None:
        """The block in a place, if one has been drawn there."""
        position = self._position(key)
        return None if position is None else self._blocks[position]

    def is_open(self, key: BlockKey) -> bool:
        """Whether a block is to be played, or is being played."""
        position = self._position(key)
        return position is not None and self._states[position] == _State.OPEN

    def is_dropped(self, key: BlockKey) -> bool:
        """Whether a block is not to be played any more, though it has not ended."""
        position = self._position(key)
        return position is not None and self._states[position] == _State.DROPPED

    def dropped(self) -> Iterator[Block]:
        """All blocks that were dropped."""
        states = self._states
        return (block for block in self._blocks if states[block.position] == _State.DROPPED)

    def can_be_taken_back(self, key: BlockKey) -> bool:
        """Whether a completed block may still be voided: no later round has been drawn from it."""
        return self.verdict is None and (self._is_fixed or key.round == len(self._first))

    def next_draw(self) -> Draw | None:
        """The round that is to be drawn now, if one is."""
        if self._is_fixed or self._cut_short or self._course.tables_open:
            return None
        if not self._due_is_known:
            self._due = self._pairing.next()
            self._due_is_known = True
        return self._due

    def drawn_event(self, draw: Draw, now_ms: int) -> RoundDrawn:
        """What the log says of a round that is to be drawn."""
        number = len(self._first) + 1
        tables = tuple(tuple(each.bot for each in self._seated(number, table)) for table in draw.tables)
        byes = tuple(self._course.entrants[each].bot for each in draw.byes)
        return RoundDrawn(number, tables, byes, self._named(draw.lots), now_ms)

    def last_lots(self) -> tuple[Lot, ...]:
        """By which the last round was decided, once nothing is left."""
        return () if self._cut_short else self._named(self._pairing.last_lots())

    def draw(self) -> None:
        """The round that is due has been drawn."""
        draw = self.next_draw()
        assert draw is not None
        self._begin_round(draw.tables, draw.byes)
        self._pairing.drawn(draw)
        self._changed()

    def enter(self, entrant: Entrant) -> None:
        """A late entry: it plays from the next round on. Raises `ScheduleTooLarge`."""
        check_size(self.created.manifest, len(self._course.entrants) + 1)
        self._course.enter(entrant)
        self._changed()

    def leave(self, bot: str, cause: LeaveCause) -> list[BlockCompleted]:
        """A bot is out, and its open blocks are dropped. What counts by this as well: as `end`."""
        self._course.gone[self._course.numbers[bot]] = cause
        if bot == self.created.manifest.settings.challenger:
            return self.cut_short()
        for block in self._blocks:
            if any(entrant.bot == bot for entrant in block.entrants):
                self._drop(block)
        self._changed()
        return self._look_at_prefix()

    def cut_short(self) -> list[BlockCompleted]:
        """Nothing more is played. What counts by this as well: as `end`."""
        self._cut_short = True
        counting = self._look_at_prefix()
        if self._bets is not None:
            self._stop(self._course.verdict or Verdict.UNDECIDED)
        for block in self._blocks:
            self._drop(block)
        self._changed()
        return counting

    def end(self, key: BlockKey, completed: BlockCompleted | None) -> list[BlockCompleted]:
        """An open block has ended: completed, or voided as often as it may be. The blocks that count from now on.

        In a gauntlet these are the ones up to the first that is open, and none after the verdict.
        """
        position = self._position(key)
        assert position is not None
        assert self._states[position] == _State.OPEN
        self._states[position] = _State.VOIDED if completed is None else _State.COMPLETED
        if completed is None:
            self._course.came_to_nothing(*key)
        elif self._bets is not None:
            # It counts when its turn comes.
            self._course.results[key.round - 1][key.table - 1] = completed
        else:
            self._course.count(*key, completed)
        self._course.end_table(key.round)
        self._changed()
        if self._bets is not None:
            return self._look_at_prefix()
        return [] if completed is None else [completed]

    def take_back(self, key: BlockKey) -> None:
        """A completed block does not count; it is open again."""
        position = self._position(key)
        assert position is not None
        assert self._states[position] == _State.COMPLETED
        completed = self._course.results[key.round - 1][key.table - 1]
        assert completed is not None
        self._states[position] = _State.OPEN
        self._course.open_table_again(key.round)
        if self._bets is None:
            self._course.count(*key, completed, -1)
        else:
            self._course.results[key.round - 1][key.table - 1] = None
            self._look_again()
        self._changed()

    def counted(self) -> Iterator[BlockCompleted]:
        """The blocks that count, in schedule order."""
        until = self._prefix if self._bets is not None else len(self._blocks)
        for block in self._blocks[:until]:
            completed = self._completed(block)
            if completed is not None:
                yield completed

    def scores(self) -> dict[str, Fraction] | None:
        """By bot, what places follow from; None: the mean points."""
        scores = self._pairing.scores()
        if scores is None:
            return None
        return {entrant.bot: score for entrant, score in zip(self._course.entrants, scores, strict=True)}

    def byes(self) -> dict[str, int]:
        """Rounds sat out, by bot; none of those that are being played."""
        return {entrant.bot: byes for entrant, byes in zip(self._course.entrants, self._course.byes, strict=True)}

    def _position(self, key: BlockKey) -> int | None:
        if not 1 <= key.round <= len(self._first):
            return None
        first = self._first[key.round - 1]
        after = self._first[key.round] if key.round < len(self._first) else len(self._blocks)
        return first + key.table - 1 if 1 <= key.table <= after - first else None

    def _begin_round(self, tables: Sequence[Table], byes: Iterable[int]) -> None:
        self._course.begin_round(tables, byes)
        self._first.append(len(self._blocks))
        number = len(self._first)
        for table, members in enumerate(tables, 1):
            self._blocks.append(Block(BlockKey(number, table), len(self._blocks), self._seated(number, members)))
        self._states.extend(bytes(len(tables)))

    def _seated(self, number: int, members: Table) -> tuple[Entrant, ...]:
        prefix = f"{number} {' '.join(map(str, members))}"
        seated = self._course.shuffled("cutpurse/seat/v2", prefix, members)
        return tuple(self._course.entrants[each] for each in seated)

    def _named(self, lots: Iterable[TiedLot]) -> tuple[Lot, ...]:
        return tuple(Lot(lot.round, tuple(self._course.entrants[each].bot for each in lot.drawn)) for lot in lots)

    def _drop(self, block: Block) -> None:
        if self._states[block.position] == _State.OPEN:
            self._states[block.position] = _State.DROPPED
            self._course.came_to_nothing(*block.key)
            self._course.end_table(block.key.round)

    def _completed(self, block: Block) -> BlockCompleted | None:
        return self._course.results[block.key.round - 1][block.key.table - 1]

    def _changed(self) -> None:
        self._due_is_known = False

    def _new_bets(self) -> Bets | None:
        settings = self.created.manifest.settings
        return Bets(settings.error_per_mille) if settings.challenger else None

    def _look_at_prefix(self) -> list[BlockCompleted]:
        """Gauntlet: look at the blocks up to the first open one, and stop where the bets do."""
        counting: list[BlockCompleted] = []
        if self._bets is None:
            return counting
        while self._course.verdict is None and self._prefix < len(self._blocks):
            block = self._blocks[self._prefix]
            if self._states[block.position] == _State.OPEN:
                return counting
            self._prefix += 1
            completed = self._completed(block)
            if completed is not None:
                self._course.count(*block.key, completed)
                self._bets.see(self._challengers_points(completed))
                counting.append(completed)
            if self._prefix == len(self._blocks) or self._blocks[self._prefix].key.table == 1:
                self._course.verdict = self._bets.verdict()
        self._stop(self._course.verdict or Verdict.UNDECIDED)
        return counting

    def _stop(self, verdict: Verdict) -> None:
        """Gauntlet: nothing after what was looked at is played, or counts."""
        self._course.verdict = verdict
        for block in self._blocks[self._prefix :]:
            self._drop(block)

    def _challengers_points(self, completed: BlockCompleted) -> float:
        players = self.created.manifest.players
        units = block_units(completed)[self.created.manifest.settings.challenger]
        return units / (2 * (players - 1) * players)

    def _look_again(self) -> None:
        """Gauntlet: a block is open again, so look at the prefix anew."""
        for block in self._blocks[: self._prefix]:
            completed = self._completed(block)
            if completed is not None:
                self._course.count(*block.key, completed, -1)
                self._course.results[block.key.round - 1][block.key.table - 1] = completed
        self._prefix = 0
        self._bets = self._new_bets()
        self._look_at_prefix()
