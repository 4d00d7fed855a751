"""What can go wrong in the rules, and nothing else.

RulesError
├── BadConfiguration   players or options that the game does not allow
├── Malformed          a text that is no action of this game, in any situation
├── Illegal            a well-formed action that this seat may not take now
├── BadDraw            a scripted draw that is missing or does not fit its cards
└── BadScript          a chance file that cannot be read
"""

from __future__ import annotations

from enum import StrEnum

__all__ = ["BadConfiguration", "BadDraw", "BadScript", "Illegal", "Malformed", "Reason", "RulesError"]


class Reason(StrEnum):
    """Why an action was refused: a closed list, none of which says anything about cards that the seat cannot see."""

    NOT_ASKED = "NOT_ASKED"
    """The seat has no open decision, or has made its choice already."""
    WRONG_STEP = "WRONG_STEP"
    """The action belongs to another step of the turn."""
    CARD_NOT_HELD = "CARD_NOT_HELD"
    """The seat's own hand does not hold the card."""
    NOTHING_TO_TAKE = "NOTHING_TO_TAKE"
    """The named tile, card or seat is not there to be taken."""
    TAKING_IS_MANDATORY = "TAKING_IS_MANDATORY"
    """The action leaves out something that must be taken."""
    NOT_ALLOWED_NOW = "NOT_ALLOWED_NOW"
    """The table as everybody sees it forbids the action."""


class RulesError(Exception):
    """The root of everything that the rules raise on purpose."""


class BadConfiguration(RulesError):
    """A number of players or an option that the game does not allow.

    `option` names the culprit (`players` for their number); the text says what is allowed.
    """

    def __init__(self, option: str, text: str) -> None:
        super().__init__(f"{option}: {text}")
        self.option = option
        self.text = text


class Malformed(RulesError):
    """A text that is not the notation of any action of the game."""


class Illegal(RulesError):
    """A well-formed action that may not be taken now, with its closed `reason`."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.value)
        self.reason = reason


class BadDraw(RulesError):
    """A scripted draw that is missing or does not fit the cards it is drawn from; `label` names it."""

    def __init__(self, label: str, text: str) -> None:
        super().__init__(f"draw {label}: {text}")
        self.label = label


class BadScript(RulesError):
    """A line of a trace or chance file that cannot be read; the text names file, line and remedy."""

    def __init__(self, source: str, line: int, text: str) -> None:
        super().__init__(f"{source}, line {line}: {text}")
        self.source = source
        self.line = line
