"""Reads a trace line by line for the oracles and checks what trace.md says about the bytes of every line."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NoReturn

__all__ = ["Mismatch", "Reader", "dump"]


class Mismatch(Exception):
    """The trace is not what the pages say.

    ``line`` counts from 1; it is one more than the last line if the trace ends too early.
    """

    def __init__(self, line: int, difference: str) -> None:
        """Keep the line number and say what differs there."""
        super().__init__(f"line {line}: {difference}")
        self.line = line


def dump(value: Any) -> str:
    """Write a value as trace.md prescribes."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def difference(expected: Any, found: Any, where: str) -> str | None:
    """Name the first place in which two JSON values differ; None if they are the same, types included."""
    if type(expected) is not type(found):
        return f"{where} is {dump(found)}, expected {dump(expected)}"
    if isinstance(expected, dict):
        missing, surplus = sorted(expected.keys() - found.keys()), sorted(found.keys() - expected.keys())
        if missing or surplus:
            return f"{where} lacks keys {missing} and has surplus keys {surplus}"
        parts: Iterable[Any] = [(expected[key], found[key], f"{where}.{key}") for key in sorted(expected)]
    elif isinstance(expected, list):
        if len(expected) != len(found):
            return f"{where} is {dump(found)}, expected {dump(expected)}"
        pairs = zip(expected, found, strict=True)
        parts = [(one, other, f"{where}[{index}]") for index, (one, other) in enumerate(pairs)]
    else:
        return None if expected == found else f"{where} is {dump(found)}, expected {dump(expected)}"
    return next((text for one, other, at in parts if (text := difference(one, other, at))), None)


class Reader:
    """Hands out the lines of a trace one by one, each already checked for its byte format."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Start before the first line."""
        self.lines: Iterator[str] = iter(lines)
        self.number = 0
        self.line_feeds: bool | None = None

    def refuse(self, text: str) -> NoReturn:
        """Raise a Mismatch at the line that was read last."""
        raise Mismatch(self.number, text)

    def read(self, kind: str) -> dict[str, Any]:
        """Read the next line, which must be an object of this type in the canonical byte format."""
        self.number += 1
        line = next(self.lines, None)
        if line is None:
            self.refuse(f"the trace ends where a line of type {kind} is due")
        if self.line_feeds is None:
            self.line_feeds = line.endswith("\n")
        if line.endswith("\n") != self.line_feeds:
            self.refuse("some lines end with a line feed and some do not")
        text = line.removesuffix("\n")
        try:
            value = json.loads(text)
        except ValueError as error:
            self.refuse(f"not JSON: {error}")
        if not isinstance(value, dict):
            self.refuse("not an object")
        # Writing the value again finds wrong key order, spaces, repeated keys, and foreign ways to write a string.
        again = dump(value)
        if again != text:
            pairs = enumerate(zip(again, text, strict=False))
            column = next((index for index, (one, other) in pairs if one != other), min(len(again), len(text)))
            self.refuse(
                f"byte format differs at column {column + 1}: {text[column : column + 30]!r}, "
                f"expected {again[column : column + 30]!r}"
            )
        if contains_float(value):
            self.refuse("contains a float")
        if value.get("type") != kind:
            self.refuse(f"a line of type {kind} is due, found type {dump(value.get('type'))}")
        return value

    def expect(self, expected: dict[str, Any]) -> None:
        """Read the next line, which must be exactly this object."""
        self.compare(expected, self.read(expected["type"]))

    def compare(self, expected: dict[str, Any], found: dict[str, Any]) -> None:
        """Refuse the line that was read last if it is not exactly this object."""
        text = difference(expected, found, expected["type"])
        if text is not None:
            self.refuse(text)
        assert dump(expected) == dump(found), "difference() overlooked something"

    def shuffle(self, label: str, cards: list[str]) -> list[str]:
        """Read the shuffle of these cards that is due now and return its outcome, top card first (G3)."""
        assert cards, "a shuffle of no cards is no draw"
        line = self.read("draw")
        outcome = line.get("outcome")
        if not isinstance(outcome, list) or not all(isinstance(card, str) for card in outcome):
            self.refuse("draw.outcome is not a list of cards")
        self.compare({"type": "draw", "label": label, "kind": "shuffle", "outcome": outcome}, line)
        due, found = Counter(cards), Counter(outcome)
        if due != found:
            self.refuse(
                f"{label} shuffles the wrong cards: lacks {sorted((due - found).elements())}, "
                f"has surplus {sorted((found - due).elements())}"
            )
        return list(outcome)

    def choices(
        self,
        number: int,
        legal: Mapping[int, list[str]],
        forced: Collection[int] = (),
        defaults: Mapping[int, str] | None = None,
    ) -> dict[int, str]:
        """Read the choices of a decision: one for each key of ``legal``.

        ``defaults`` are the actions that stand in for a seat's own choice; without them it is the first action.
        ``forced`` are the seats whose choice the engine takes (G5): their cause is FORCED, and nobody else's is.
        """
        line = self.read("choices")
        found = {key: line[key] if isinstance(line.get(key), dict) else {} for key in ("choices", "cause")}
        expected = {key: {str(seat): found[key].get(str(seat)) for seat in legal} for key in found}
        self.compare({"type": "choices", "number": number, **expected}, line)
        for seat, actions in legal.items():
            choice, cause = expected["choices"][str(seat)], expected["cause"][str(seat)]
            if choice not in actions:
                self.refuse(f"the choice {dump(choice)} of seat {seat} is not legal")
            # The pages name the causes CHOSEN, FORCED and FORFEITED, but no fault, so any capital word may be a fault.
            if not isinstance(cause, str) or not re.fullmatch("[A-Z]+(_[A-Z]+)*", cause):
                self.refuse(f"the cause {dump(cause)} of seat {seat} is none")
            if (cause == "FORCED") != (seat in forced):
                due = "FORCED" if seat in forced else "not FORCED"
                self.refuse(f"the cause of seat {seat} is {cause}, expected {due} (G5)")
            default = actions[0] if defaults is None else defaults[seat]
            if cause not in ("CHOSEN", "FORCED") and choice != default:
                self.refuse(f"the cause of seat {seat} is {cause}, so its choice must be the default {default!r}")
        return {seat: expected["choices"][str(seat)] for seat in legal}

    def finish(self) -> None:
        """Refuse anything after the result."""
        self.number += 1
        if next(self.lines, None) is not None:
            self.refuse("a line after the result")


def contains_float(value: Any) -> bool:
    """Say whether there is a float anywhere in a JSON value; trace.md knows none."""
    if isinstance(value, dict):
        return any(contains_float(part) for part in value.values())
    if isinstance(value, list):
        return any(contains_float(part) for part in value)
    return isinstance(value, float)
