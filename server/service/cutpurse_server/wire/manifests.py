"""Manifests of tournaments on the wire and as the bytes that their hash covers."""

from __future__ import annotations

import json

from google.protobuf.message import DecodeError

from cutpurse.v1 import tournament_pb2
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.log.port import UnreadableEvent
from cutpurse_server.matches.events import Clock
from cutpurse_server.tournaments.events import Format, FormatSettings, Manifest, Openings
from cutpurse_server.wire.matches import clock_from_proto, configuration_to_proto, options_from_proto

__all__ = [
    "manifest_from_bytes",
    "manifest_from_proto",
    "manifest_from_request",
    "manifest_to_bytes",
    "manifest_to_proto",
]


def manifest_to_proto(manifest: Manifest) -> tournament_pb2.TournamentManifest:
    """A manifest as everybody may see it: without its seed, which would tell every hand."""
    return tournament_pb2.TournamentManifest(
        tournament=manifest.tournament,
        configuration=configuration_to_proto(manifest.game, manifest.options, manifest.clock),
        format=tournament_pb2.TournamentFormat.ValueType(manifest.format),
        players=manifest.players,
        rounds=manifest.rounds,
        concurrency=manifest.concurrency,
        deals_root=manifest.deals_root,
        deal_slots=manifest.deal_slots,
        rated=not manifest.seed,
        settings=tournament_pb2.FormatSettings(**manifest.settings._asdict()),
        openings=tournament_pb2.Openings.ValueType(manifest.openings),
    )


def manifest_from_proto(manifest: tournament_pb2.TournamentManifest) -> Manifest:
    """A manifest as it stands there, without a seed; nothing is checked; raises ValueError for a format of no name."""
    configuration = manifest.configuration
    return Manifest(
        tournament=manifest.tournament,
        game=configuration.game,
        options={name: json.loads(text) for name, text in sorted(configuration.options.items())},
        clock=Clock(*[getattr(configuration.clock, name) for name in Clock._fields]),
        format=Format(manifest.format),
        players=manifest.players,
        rounds=manifest.rounds,
        concurrency=manifest.concurrency,
        deals_root=manifest.deals_root,
        deal_slots=manifest.deal_slots,
        seed="",
        settings=_settings_from_proto(manifest.settings),
        openings=Openings(manifest.openings),
    )


def _settings_from_proto(settings: tournament_pb2.FormatSettings) -> FormatSettings:
    return FormatSettings(*[getattr(settings, name) for name in FormatSettings._fields])


def manifest_from_request(manifest: tournament_pb2.TournamentManifest, seed: str) -> Manifest:
    """A manifest as an organiser sends it, without deals; raises MALFORMED and CONFIGURATION_INVALID."""
    configuration = manifest.configuration
    try:
        named = Format(manifest.format)
        openings = Openings(manifest.openings or Openings.BLOCK)
    except ValueError:
        text = "Name the format of the tournament, and when its matches are opened, if not with their blocks."
        raise ServiceError(ErrorReason.MALFORMED, text) from None
    return Manifest(
        tournament=manifest.tournament,
        game=configuration.game,
        options=options_from_proto(configuration.options),
        clock=clock_from_proto(configuration.clock) if configuration.HasField("clock") else Clock(),
        format=named,
        players=manifest.players,
        rounds=manifest.rounds,
        concurrency=manifest.concurrency,
        deals_root=b"",
        deal_slots=0,
        seed=seed,
        settings=_settings_from_proto(manifest.settings),
        openings=openings,
    )


def manifest_to_bytes(manifest: Manifest) -> bytes:
    """The bytes that go into the log and that the manifest hash covers."""
    return manifest_to_proto(manifest).SerializeToString(deterministic=True)


def manifest_from_bytes(manifest_bytes: bytes) -> Manifest:
    """The manifest of its bytes; raises `UnreadableEvent`."""
    try:
        return manifest_from_proto(tournament_pb2.TournamentManifest.FromString(manifest_bytes))
    except (DecodeError, ValueError, RecursionError) as failure:
        raise UnreadableEvent("these bytes are no manifest") from failure
