"""AuditService: bundles for auditors."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from cutpurse.v1 import audit_pb2, audit_pb2_grpc

from cutpurse_server.errors import ErrorReason, ServiceError

__all__ = ["AuditServicer"]


class AuditServicer(audit_pb2_grpc.AuditServiceServicer):
    """Streams bundles in pieces."""

    async def ExportBundle(
        self, request: audit_pb2.ExportBundleRequest, context: Any
    ) -> AsyncIterator[audit_pb2.ExportBundleResponse]:
        """The bundle of something that is over."""
        raise ServiceError(ErrorReason.NOT_IMPLEMENTED)
        yield
