"""Monotonic time and timers; tests put a clock of their own here."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Clock(Protocol):
    def now(self) -> float:
        """Seconds that only grow, the same in every thread; no relation to the time of day."""

    def after(self, seconds: float, then: Callable[[], None]) -> Callable[[], None]:
        """Calls `then` in the clock's event loop; the returned function cancels."""


class LoopClock:
    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop

    def now(self) -> float:
        return time.monotonic()

    def after(self, seconds: float, then: Callable[[], None]) -> Callable[[], None]:
        return self._loop.call_later(max(0.0, seconds), then).cancel


#: Makes the clock of an event loop.
ClockOf = Callable[[asyncio.AbstractEventLoop], Clock]


async def sleep(clock: Clock, seconds: float, over: asyncio.Event) -> None:
    """Returns after so many seconds, or as soon as `over` is set."""
    if seconds <= 0 or over.is_set():
        return
    passed = asyncio.Event()
    cancel = clock.after(seconds, passed.set)
    waits = [asyncio.ensure_future(event.wait()) for event in (passed, over)]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        cancel()
        for wait in waits:
            wait.cancel()
