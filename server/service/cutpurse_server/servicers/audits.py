"""AuditService: bundles for auditors."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator
from typing import Any, BinaryIO

from cutpurse.v1 import audit_pb2, audit_pb2_grpc
from cutpurse_server.audit import write_match_bundle, write_tournament_bundle
from cutpurse_server.errors import ErrorReason, ServiceError
from cutpurse_server.log.port import Log

__all__ = ["AuditServicer"]

_PIECE_BYTES = 256 * 1024
_BUNDLES_AT_ONCE = 2
"""A bundle is written to a temporary file first, because its first lines follow from its last."""


class AuditServicer(audit_pb2_grpc.AuditServiceServicer):
    """Streams bundles in pieces."""

    def __init__(self, log: Log) -> None:
        self._log = log
        self._turn = asyncio.Semaphore(_BUNDLES_AT_ONCE)

    async def ExportBundle(
        self, request: audit_pb2.ExportBundleRequest, context: Any
    ) -> AsyncIterator[audit_pb2.ExportBundleResponse]:
        """The bundle of something that is over."""
        with tempfile.TemporaryFile(prefix="cutpurse-bundle-") as file:
            # The turn is over once the file is written: a reader who does not read keeps nobody waiting.
            async with self._turn:
                await self._write(request, file)
            file.seek(0)
            while piece := file.read(_PIECE_BYTES):
                yield audit_pb2.ExportBundleResponse(piece=piece)

    async def _write(self, request: audit_pb2.ExportBundleRequest, file: BinaryIO) -> None:
        match request.WhichOneof("subject"):
            case "tournament":
                await write_tournament_bundle(self._log, request.tournament, file)
            case "match":
                await write_match_bundle(self._log, request.match, file)
            case _:
                raise ServiceError(ErrorReason.MALFORMED, "Name a tournament or a match.")
