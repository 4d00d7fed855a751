"""Whether a manifest can be played, and its defaults filled in. Refusals are `ServiceError`s that name the culprit."""

from __future__ import annotations

from cutpurse_rules import GAMES
from cutpurse_rules.errors import BadConfiguration
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.matches.beginning import SEED_BYTES_MAX, check_clock
from cutpurse_server.names import NAME_FORM, is_name
from cutpurse_server.tournaments.deals import DEAL_SLOTS
from cutpurse_server.tournaments.events import Format, FormatSettings, Manifest
from cutpurse_server.tournaments.schedule import ScheduleTooLarge, check_size

__all__ = ["CONCURRENCY_MAX", "DEFAULTS", "checked", "refuse_too_many", "resolved_settings"]

CONCURRENCY_MAX = 1_024
_BLOCKS_MAX = 1_000

DEFAULTS: dict[Format, FormatSettings] = {
    Format.ROUND_ROBIN: FormatSettings(),
    Format.SWISS: FormatSettings(),
    Format.SINGLE_ELIMINATION: FormatSettings(advance=1, best_of=1, tie_blocks=2),
    Format.LADDER: FormatSettings(),
    Format.GAUNTLET: FormatSettings(error_per_mille=50),
}
"""What a format takes where nothing is given. What is 0 or empty here is the format's only if it says so below."""

_OF_FORMAT: dict[Format, tuple[str, ...]] = {
    Format.ROUND_ROBIN: ("tables",),
    Format.SWISS: (),
    Format.SINGLE_ELIMINATION: ("advance", "best_of", "tie_blocks"),
    Format.LADDER: (),
    Format.GAUNTLET: ("challenger", "error_per_mille"),
}


def checked(manifest: Manifest) -> Manifest:
    """The manifest with every option resolved.

    Raises GAME_UNKNOWN, and CONFIGURATION_INVALID naming the culprit.
    """
    if not is_name(manifest.tournament):
        raise _invalid(f"tournament: a name has {NAME_FORM}.")
    if manifest.game not in GAMES:
        raise ServiceError(ErrorReason.GAME_UNKNOWN)
    if len(manifest.seed.encode()) > SEED_BYTES_MAX:
        raise _invalid(f"seed: has at most {SEED_BYTES_MAX} bytes.")
    for name, value, most in (
        ("rounds", manifest.rounds, DEAL_SLOTS),
        ("concurrency", manifest.concurrency, CONCURRENCY_MAX),
    ):
        if not 1 <= value <= most:
            raise _invalid(f"{name}: must be from 1 to {most:,}, not {value:,}.")
    try:
        config = GAMES[manifest.game].configure(manifest.players, manifest.options)
    except BadConfiguration as bad:
        raise _invalid(f"{bad.option}: {bad.text}") from None
    check_clock(manifest.clock)
    manifest = manifest._replace(options=dict(config.options), settings=resolved_settings(manifest))
    refuse_too_many(manifest, manifest.players)
    return manifest


def resolved_settings(manifest: Manifest) -> FormatSettings:
    """The format's settings with defaults filled in; raises CONFIGURATION_INVALID naming the culprit."""
    format_name = manifest.format.name.lower().replace("_", "-")
    given = manifest.settings
    for name, value in given._asdict().items():
        if value and name not in _OF_FORMAT[manifest.format]:
            raise _invalid(f"{name}: a {format_name} has no such setting; leave it out.")
    filled = {name: value or getattr(DEFAULTS[manifest.format], name) for name, value in given._asdict().items()}
    settings = FormatSettings(**filled)
    if manifest.format is Format.SINGLE_ELIMINATION:
        if manifest.rounds != 1:
            raise _invalid("rounds: those of a single-elimination follow from its entrants; write 1, or leave it out.")
        for name, value, most in (
            ("advance", settings.advance, manifest.players - 1),
            ("best_of", settings.best_of, _BLOCKS_MAX),
            ("tie_blocks", settings.tie_blocks, _BLOCKS_MAX),
        ):
            if not 1 <= value <= most:
                raise _invalid(f"{name}: must be from 1 to {most:,}, not {value:,}.")
    if manifest.format is Format.GAUNTLET:
        if not is_name(settings.challenger):
            raise _invalid("challenger: name the bot that meets all others.")
        if not settings.error_per_mille < 500:
            raise _invalid(f"error_per_mille: must be from 1 to 499, not {settings.error_per_mille:,}.")
    return settings


def refuse_too_many(manifest: Manifest, entrants: int) -> None:
    """Raise CONFIGURATION_INVALID if so many entrants would make more matches than there are slots."""
    try:
        check_size(manifest, entrants)
    except ScheduleTooLarge as large:
        raise _invalid(str(large)) from None


def _invalid(text: str) -> ServiceError:
    return ServiceError(ErrorReason.CONFIGURATION_INVALID, text)
