"""An event loop whose clock jumps to the next timer when nothing is ready: an hour takes seconds, in one thread.

Everything on it belongs to an *owner*, the process that it would run in. Owners can be killed between any two steps.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine, Mapping
from contextvars import Context, ContextVar, copy_context
from typing import Any, TypeVar

__all__ = ["EPOCH_MS", "OWNER", "VirtualTimeLoop", "context_of", "virtual_loop"]

OWNER: ContextVar[str] = ContextVar("owner", default="world")
"""The process that a task, a timer or a callback would run in."""

EPOCH_MS = 1_700_000_000_000
"""Store time at the beginning of a simulation."""

_STEPS_MAX = 20_000_000
"""A simulation of so many steps of the loop goes round and round."""
_BEGIN_S = 1_000.0

T = TypeVar("T")


def context_of(owner: str) -> Context:
    """A context in which everything belongs to an owner."""
    context = copy_context()
    context.run(OWNER.set, owner)
    return context


class _Jump(selectors.SelectSelector):
    """Waits for nothing: time passes instead. There are no files and sockets in a simulation."""

    def __init__(self) -> None:
        super().__init__()
        self.now_s = _BEGIN_S
        self.steps = 0

    def select(self, timeout: float | None = None) -> list[Any]:
        """Let the time pass until the next timer."""
        self.steps += 1
        assert self.steps < _STEPS_MAX, "the simulation goes round and round"
        assert timeout is not None, "everybody waits, and no timer is set"
        self.now_s += max(0.0, timeout)
        return []


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """See the module. Errors of callbacks and forgotten tasks are collected in `complaints`."""

    def __init__(self) -> None:
        self._jump = _Jump()
        super().__init__(self._jump)
        # Sums of floating point numbers miss a timer by less than this.
        self._clock_resolution = 1e-6
        self.complaints: list[str] = []
        self._tasks: dict[asyncio.Task[Any], str] = {}
        """Those not done, in the order in which they were made, and their owners."""
        self.set_task_factory(self._task)  # type: ignore[arg-type]  # typeshed knows no contexts here
        self.set_exception_handler(lambda _, context: self.complaints.append(repr(context)))

    def time(self) -> float:
        """Virtual seconds."""
        return self._jump.now_s

    @property
    def steps(self) -> int:
        """How often the loop has gone round."""
        return self._jump.steps

    def now_ms(self) -> int:
        """Store time."""
        return EPOCH_MS + int((self.time() - _BEGIN_S) * 1_000)

    def run_in_executor(self, executor: Any, func: Callable[..., T], *args: Any) -> asyncio.Future[T]:  # type: ignore[override]
        """Call it at once: there is one thread."""
        future: asyncio.Future[T] = self.create_future()
        try:
            future.set_result(func(*args))
        except Exception as error:
            future.set_exception(error)
        return future

    def kill(self, owner: str) -> None:
        """End everything that belongs to an owner. What it would do on its way out must be made vain by the caller."""
        for timer in self._timers_of(owner):
            timer.cancel()
        for task in self.tasks_of(owner):
            task.cancel()

    def tasks_of(self, owner: str) -> list[asyncio.Task[Any]]:
        """The tasks of an owner that are not done."""
        return [task for task, owned_by in self._tasks.items() if owned_by == owner]

    def left_over(self, owner: str) -> list[str]:
        """Tasks and timers of an owner, for a message."""
        return [repr(each) for each in (*self.tasks_of(owner), *self._timers_of(owner))]

    def _timers_of(self, owner: str) -> list[asyncio.TimerHandle]:
        # asyncio tells nobody else which timers are set, and whose.
        timers: list[Any] = list(self._scheduled)  # type: ignore[attr-defined]
        return [each for each in timers if not each.cancelled() and each._context.get(OWNER) == owner]

    def _task(
        self, loop: asyncio.AbstractEventLoop, coroutine: Coroutine[Any, Any, T], context: Context | None = None
    ) -> asyncio.Task[T]:
        task = asyncio.Task(coroutine, loop=loop, context=context)
        held: Mapping[ContextVar[Any], Any] = context if context is not None else copy_context()
        self._tasks[task] = held.get(OWNER, "world")
        task.add_done_callback(self._forget)
        return task

    def _forget(self, task: asyncio.Task[Any]) -> None:
        del self._tasks[task]


def virtual_loop() -> VirtualTimeLoop:
    """The loop that runs."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, VirtualTimeLoop)
    return loop
