"""Calls to a running service, for the commands that need one: the only place of the command line that speaks gRPC."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from math import isnan
from pathlib import Path
from typing import Any

import grpc
from google.protobuf.json_format import MessageToDict

from cutpurse.v1 import (
    audit_pb2,
    audit_pb2_grpc,
    identity_pb2,
    identity_pb2_grpc,
    tournament_pb2,
    tournament_pb2_grpc,
)
from cutpurse_server.addresses import is_local
from cutpurse_server.errors import ErrorReason
from cutpurse_server.identity import Role
from cutpurse_server.tournaments.events import LeaveCause, Manifest, Standing, manifest_hash
from cutpurse_server.wire.tournament_events import manifest_to_proto

__all__ = ["CallFailed", "Organiser", "organiser"]

_CALL_S = 30.0
_FOR_PEOPLE = {
    ErrorReason.TOKEN_INVALID.name: "This service does not know the token: is it another log's, or has it ended?",
    ErrorReason.ROLE_FORBIDDEN.name: "This token's role may not do that; take an organiser's.",
    ErrorReason.GAME_UNKNOWN.name: "There is no such game; `cutpurse games` names them.",
    ErrorReason.TOURNAMENT_UNKNOWN.name: "There is no such tournament; `cutpurse tournament list` names them.",
}
"""Refusals whose own text speaks to programs, by reason."""


class CallFailed(Exception):
    """A call that was refused or did not get through; the text says why, and what to do."""


class Organiser:
    """What an organiser does at a service. Every method raises `CallFailed`."""

    def __init__(self, channel: grpc.Channel, address: str, token: str) -> None:
        self._address = address
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._identity: Any = identity_pb2_grpc.IdentityServiceStub(channel)
        self._tournaments: Any = tournament_pb2_grpc.TournamentServiceStub(channel)
        self._audits: Any = audit_pb2_grpc.AuditServiceStub(channel)

    def create(self, manifest: Manifest) -> str:
        """A new tournament, open for entries; the hash of its manifest, in hexadecimal."""
        request = tournament_pb2.CreateTournamentRequest(manifest=manifest_to_proto(manifest), seed=manifest.seed)
        return _hash_of(self._call(self._tournaments.CreateTournament, request).manifest)

    def bots(self) -> dict[str, str]:
        """Every registered bot's owner."""
        return {
            each.bot: each.owner for each in self._call(self._identity.ListBots, identity_pb2.ListBotsRequest()).bots
        }

    def register(self, bot: str, owner: str) -> None:
        """Register a bot, unless it is; of another owner it cannot be."""
        known = self.bots().get(bot)
        if known is None:
            description = identity_pb2.BotDescription(bot=bot, owner=owner)
            self._call(self._identity.RegisterBot, identity_pb2.RegisterBotRequest(bot=description))
        elif known != owner:
            raise CallFailed(f"{bot} belongs to {known}, not to {owner}; name --owner {known}, or another bot")

    def issue(self, role: Role, bot: str = "", valid_s: int = 0) -> tuple[str, str]:
        """A new token's text, shown this once, and its public number."""
        request = identity_pb2.IssueTokenRequest(role=identity_pb2.Role.ValueType(role), bot=bot, valid_s=valid_s)
        issued = self._call(self._identity.IssueToken, request)
        return issued.token, issued.token_id

    def tokens(self, bot: str = "") -> list[dict[str, Any]]:
        """The valid tokens, of a bot or of everybody, as plain data."""
        listed = self._call(self._identity.ListTokens, identity_pb2.ListTokensRequest(bot=bot)).tokens
        return [_plain(each) | {"role": Role(each.role).name.lower()} for each in listed]

    def revoke(self, token_id: str) -> None:
        """End a token at once."""
        self._call(self._identity.RevokeToken, identity_pb2.RevokeTokenRequest(token_id=token_id))

    def enter(self, tournament: str, bot: str, rank: int = 0) -> None:
        """Enter a registered bot."""
        request = tournament_pb2.EnterTournamentRequest(tournament=tournament, bot=bot, rank=rank)
        self._call(self._tournaments.EnterTournament, request)

    def start(self, tournament: str) -> None:
        """Close the entries and begin."""
        self._call(self._tournaments.StartTournament, tournament_pb2.StartTournamentRequest(tournament=tournament))

    def withdraw(self, tournament: str, bot: str, reason: str) -> None:
        """Take a bot out."""
        request = tournament_pb2.WithdrawEntrantRequest(tournament=tournament, bot=bot, text=reason)
        self._call(self._tournaments.WithdrawEntrant, request)

    def disqualify(self, tournament: str, bot: str, reason: str) -> None:
        """Take a bot out for an offence."""
        request = tournament_pb2.DisqualifyEntrantRequest(tournament=tournament, bot=bot, text=reason)
        self._call(self._tournaments.DisqualifyEntrant, request)

    def quarantine(self, tournament: str, bot: str, reason: str) -> None:
        """Wait no more for a bot."""
        request = tournament_pb2.QuarantineEntrantRequest(tournament=tournament, bot=bot, text=reason)
        self._call(self._tournaments.QuarantineEntrant, request)

    def release(self, tournament: str, bot: str, reason: str) -> None:
        """Wait for a bot again."""
        request = tournament_pb2.ReleaseEntrantRequest(tournament=tournament, bot=bot, text=reason)
        self._call(self._tournaments.ReleaseEntrant, request)

    def pause(self, tournament: str, reason: str) -> None:
        """Begin no further matches."""
        request = tournament_pb2.PauseTournamentRequest(tournament=tournament, text=reason)
        self._call(self._tournaments.PauseTournament, request)

    def resume(self, tournament: str) -> None:
        """Begin matches again."""
        self._call(self._tournaments.ResumeTournament, tournament_pb2.ResumeTournamentRequest(tournament=tournament))

    def void(self, tournament: str, round_number: int, table: int, match: str, reason: str) -> None:
        """Void a block, named by round and table or by a match."""
        request = tournament_pb2.VoidBlockRequest(
            tournament=tournament, round=round_number, table=table, match=match, text=reason
        )
        self._call(self._tournaments.VoidBlock, request)

    def finish(self, tournament: str, reason: str) -> None:
        """End a tournament."""
        request = tournament_pb2.FinishTournamentRequest(tournament=tournament, text=reason)
        self._call(self._tournaments.FinishTournament, request)

    def bot_log(self, tournament: str, bot: str) -> Iterator[dict[str, Any]]:
        """A bot's matches as plain data, or with an empty name those of the token's own bot."""
        after, more = 0, True
        while more:
            request = tournament_pb2.GetBotLogRequest(tournament=tournament, bot=bot, after=after)
            part = self._call(self._tournaments.GetBotLog, request)
            yield from map(_plain, part.matches)
            after, more = after + len(part.matches), part.more

    def names(self) -> list[str]:
        """The names of all tournaments."""
        names: list[str] = []
        more = True
        while more:
            request = tournament_pb2.ListTournamentsRequest(after=names[-1] if names else "")
            part = self._call(self._tournaments.ListTournaments, request)
            names += part.tournaments
            more = part.more
        return names

    def show(self, tournament: str) -> dict[str, Any]:
        """Manifest and its hash, entrants, progress and notices as plain data."""
        request = tournament_pb2.GetTournamentRequest(tournament=tournament)
        found = self._call(self._tournaments.GetTournament, request)
        return {"manifest_hash": _hash_of(found.manifest), **_plain(found)}

    def bundle(self, subject: str, *, match: bool) -> Iterator[bytes]:
        """The bundle of a tournament or a match that is over, in pieces."""
        request = audit_pb2.ExportBundleRequest(**{"match" if match else "tournament": subject})
        try:
            for response in self._audits.ExportBundle(request, metadata=self._metadata):
                yield response.piece
        except grpc.RpcError as error:
            raise self._failure(error) from None

    def standings(self, tournament: str) -> list[dict[str, Any]]:
        """The standings as plain data, best first, as `standings.json` of a local run has them."""
        request = tournament_pb2.GetStandingsRequest(tournament=tournament)
        return [_standing(row) for row in self._call(self._tournaments.GetStandings, request).standings]

    def watch(self, tournament: str) -> Iterator[dict[str, Any]]:
        """Progress and standings, again whenever they change, until the tournament is finished."""
        request = tournament_pb2.WatchTournamentRequest(tournament=tournament)
        told = 0
        while True:
            heard = False
            try:
                for response in self._tournaments.WatchTournament(request, metadata=self._metadata):
                    news = _plain(response) | {"standings": [_standing(row) for row in response.standings]}
                    if not heard:
                        # A new stream begins with all notices again.
                        del news["notices"][:told]
                    heard = True
                    told += len(news["notices"])
                    yield news
                return
            except grpc.RpcError as error:
                # A connection that has become too old is ended by the service; the next one goes on.
                if not heard or error.code() is not grpc.StatusCode.UNAVAILABLE or _reasons(error):
                    raise self._failure(error) from None

    def _call(self, method: Any, request: Any) -> Any:
        try:
            return method(request, metadata=self._metadata, timeout=_CALL_S)
        except grpc.RpcError as error:
            raise self._failure(error) from None

    def _failure(self, error: Any) -> CallFailed:
        reasons = _reasons(error)
        if not reasons and error.code() is grpc.StatusCode.UNAVAILABLE:
            return CallFailed(
                f"no service answers at {self._address}; start one with `cutpurse serve`, or name --address"
            )
        reason = reasons[0] if reasons else error.code().name
        return CallFailed(f"{_FOR_PEOPLE.get(reason, error.details())} [{reason}]")


@contextmanager
def organiser(address: str, token: str | None, token_file: Path | None, ca: Path | None) -> Iterator[Organiser]:
    """An organiser at an address; with a certificate authority encrypted. Raises `CallFailed` without a token."""
    if token is None and token_file is not None:
        try:
            token = token_file.read_text(errors="replace").strip()
        except OSError as error:
            raise CallFailed(f"{token_file} cannot be read: {error.strerror}") from None
    if not token:
        raise CallFailed(
            "show a token: --token-file FILE (`cutpurse serve` says where the first one is) or CUTPURSE_TOKEN"
        )
    if not token.isascii() or not token.isprintable() or " " in token:
        where = "the token" if token_file is None else str(token_file)
        raise CallFailed(f"{where} holds more than a token; that is one word, which begins with cutp_")
    with _channel(address, ca) as channel:
        yield Organiser(channel, address, token)


def _channel(address: str, ca: Path | None) -> grpc.Channel:
    if ca is None:
        if not is_local(address):
            raise CallFailed(
                f"{address} is another machine, and without encryption anybody on the way could read the token: "
                "name its certificate authority, --ca FILE or CUTPURSE_CA"
            )
        return grpc.insecure_channel(address)
    try:
        authority = ca.read_bytes()
    except OSError as error:
        raise CallFailed(f"{ca} cannot be read: {error.strerror}") from None
    return grpc.secure_channel(address, grpc.ssl_channel_credentials(root_certificates=authority))


def _reasons(error: Any) -> list[str]:
    """The service's reason for a failed call, if it gave one."""
    return [value for key, value in error.trailing_metadata() or () if key == "cutpurse-reason"]


def _hash_of(manifest: tournament_pb2.TournamentManifest) -> str:
    """What the matches of a tournament name in their chains, in hexadecimal."""
    return manifest_hash(manifest.SerializeToString(deterministic=True)).hex()


def _standing(row: tournament_pb2.Standing) -> dict[str, Any]:
    """A row with all its fields in their order; None for a seat never sat in, and for a bot that has not left."""
    return {name: getattr(row, name) for name in Standing._fields} | {
        "points_by_seat": [None if isnan(points) else points for points in row.points_by_seat],
        "left": LeaveCause(row.left).name.lower() if row.left else None,
    }


def _plain(message: Any) -> dict[str, Any]:
    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
