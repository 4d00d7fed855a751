"""Counts every call that reaches the service, refused ones included."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import contextmanager
from inspect import isasyncgenfunction
from time import perf_counter
from typing import Any

import grpc

from cutpurse_server.metrics.figures import Figures

__all__ = ["CallMetrics"]

_CODE_NAMES = {code.value[0]: code.name for code in grpc.StatusCode}
_CANCELLED = grpc.StatusCode.CANCELLED.name
_UNKNOWN = grpc.StatusCode.UNKNOWN.name
_REASON_KEY = "cutpurse-reason"


class CallMetrics(grpc.aio.ServerInterceptor):
    """Stands before the gate, so that what the gate refuses is counted too.

    A method that does not exist has no handler and is not counted: its name is the caller's text, and a figure for each
    text would let a caller fill the memory.
    """

    def __init__(self, figures: Figures) -> None:
        self._figures = figures

    async def intercept_service(self, continuation: Callable[[Any], Awaitable[Any]], handler_call_details: Any) -> Any:
        """See grpc.aio.ServerInterceptor."""
        handler = await continuation(handler_call_details)
        if handler is None:
            return None
        method = handler_call_details.method
        parse, serialise = handler.request_deserializer, handler.response_serializer
        if handler.request_streaming:
            counted = self._counted_stream(method, handler.stream_stream)
            return grpc.stream_stream_rpc_method_handler(counted, parse, serialise)
        if handler.response_streaming:
            counted = self._counted_stream(method, handler.unary_stream)
            return grpc.unary_stream_rpc_method_handler(counted, parse, serialise)
        return grpc.unary_unary_rpc_method_handler(self._counted_answer(method, handler.unary_unary), parse, serialise)

    def _counted_answer(self, method: str, inner: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        seconds = self._figures.call_seconds.labels(method)

        async def answer(request: Any, context: Any) -> Any:
            begun = perf_counter()
            with self._counted(method, context):
                response = await inner(request, context)
            seconds.observe(perf_counter() - begun)
            return response

        return answer

    def _counted_stream(self, method: str, inner: Callable[..., Any]) -> Callable[..., Any]:
        open_now = self._figures.streams.labels(method)

        async def written(request: Any, context: Any) -> None:
            with open_now.track_inprogress(), self._counted(method, context):
                await inner(request, context)

        async def yielded(request: Any, context: Any) -> AsyncIterator[Any]:
            with open_now.track_inprogress(), self._counted(method, context):
                async for response in inner(request, context):
                    yield response

        # gRPC asks the same of a handler, to know whether it writes or yields its answers.
        return yielded if isasyncgenfunction(inner) else written

    @contextmanager
    def _counted(self, method: str, context: Any) -> Any:
        """Count the call when it ends, however it ends."""
        try:
            yield
        except grpc.aio.AbortError:
            self._ended(method, _CODE_NAMES.get(_number(context.code()), _UNKNOWN), context)
            raise
        except Exception:
            # What no handler has caught, gRPC answers so.
            self._ended(method, _UNKNOWN, context)
            raise
        except BaseException:
            self._ended(method, _CANCELLED, context)
            raise
        self._ended(method, _CODE_NAMES.get(_number(context.code()), _UNKNOWN), context)

    def _ended(self, method: str, code: str, context: Any) -> None:
        self._figures.calls.labels(method, code).inc()
        for key, value in context.trailing_metadata() or ():
            if key == _REASON_KEY:
                self._figures.refusals.labels(value).inc()


def _number(code: Any) -> int:
    """A status code as gRPC gives it back: a member, a number, or None as long as none was set."""
    if code is None:
        return 0
    number: int = code.value[0] if isinstance(code, grpc.StatusCode) else code
    return number
