"""What must hold of a match's first event, by itself and as a match of a schedule."""

from __future__ import annotations

from cutpurse_rules import GAMES
from cutpurse_rules.chance import KEY_BYTES, key_of_seed
from cutpurse_rules.errors import BadConfiguration
from cutpurse_server.audit.verdict import Wrong, check
from cutpurse_server.matches.events import MatchBegun, SeatIdentity
from cutpurse_server.tournaments.deals import NO_ENTROPY, match_key, slot_secret
from cutpurse_server.tournaments.events import TournamentCreated, manifest_hash
from cutpurse_server.tournaments.reconciler import scheduled_digest
from cutpurse_server.tournaments.schedule import ScheduledMatch

__all__ = ["check_beginning", "check_scheduled"]


def check_beginning(begun: MatchBegun) -> None:
    """A game that this version knows, resolved options, seats, and a key that fits its seed."""
    game = GAMES.get(begun.game)
    if game is None:
        raise Wrong(f"this version knows no game {begun.game!r}")
    check(begun.rules_version == game.rules_version, f"this version plays rules {game.rules_version} of {begun.game}")
    try:
        resolved = game.configure(begun.players, begun.options).options
    except BadConfiguration as bad:
        raise Wrong(f"the configuration is not allowed: {bad}") from None
    check(dict(resolved) == dict(begun.options), "the options are not resolved")
    check(len(begun.seats) == begun.players, f"{len(begun.seats)} bots sit in {begun.players} seats")
    check(len({seat.bot for seat in begun.seats}) == begun.players, "a bot sits in two seats")
    check(begun.warm_up_until_ms == begun.at_ms + begun.clock.warm_up_ms, "the warm-up has the wrong length")
    check(
        list(begun.quarantined) == sorted({seat for seat in begun.quarantined if seat < begun.players}),
        "the seats in quarantine are not those of a table, in order",
    )
    check(len(begun.key) == KEY_BYTES, "the key has the wrong length")
    if begun.seed:
        check(begun.key == key_of_seed(begun.seed), "the key is not that of the seed")
        check(not begun.rated, "a match with a chosen seed cannot be rated")


def check_scheduled(begun: MatchBegun, scheduled: ScheduledMatch, created: TournamentCreated) -> None:
    """The match that the schedule has in this place: its bots in their seats, its clock, its deal. Raises `Wrong`."""
    manifest, origin = created.manifest, scheduled.origin
    hash_due = manifest_hash(created.manifest_bytes)
    check(begun.match == scheduled.match, f"this is match {begun.match!r}")
    check(begun.origin == origin, f"its place in the schedule is {origin}")
    check(begun.manifest_hash == hash_due, "the manifest hash is not that of the tournament's manifest")
    check(begun.game == manifest.game, f"the tournament plays {manifest.game}")
    check(dict(begun.options) == dict(manifest.options), "the options are not those of the manifest")
    check(begun.clock == manifest.clock, "the clock is not that of the manifest")
    check(begun.rated == (not manifest.seed), "it is rated, and the tournament is not, or the other way round")
    seats = tuple(SeatIdentity(each.bot, each.owner) for each in scheduled.seats)
    check(begun.seats == seats, f"the schedule seats {', '.join(each.bot for each in seats)}")
    secret = slot_secret(created.deals_secret, origin.slot)
    check(begun.key == match_key(secret, NO_ENTROPY, origin.slot, origin.attempt), "the key is not that of its slot")
    check(begun.seed == "", "a scheduled match has no seed of its own")
    check(begun.request_digest == scheduled_digest(hash_due, scheduled), "the request's digest is not the schedule's")
