"""Jobs for tests, and a clock that moves only when a test says so."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable
from typing import Any

_made = itertools.count(1)


def sample_job(**fields: Any) -> dict[str, Any]:
    n = next(_made)
    return {
        "id": f"job-{n}",
        "jobType": "charge-card",
        "instanceId": f"instance-{n}",
        "stepId": "charge",
        "stepExecutionId": f"execution-{n}",
        "definitionId": "order",
        "variables": {"amount": 42},
        "attempt": 1,
        "retriesRemaining": 2,
        "lockExpiresAt": "2025-01-01T00:00:30.000Z",
        "leaseToken": f"1-token-{n}",
        "priority": "normal",
        "idempotencyKey": f"key-{n}",
        **fields,
    }


class ManualClock:
    """One for all loops: a timer fires in the loop that set it."""

    def __init__(self) -> None:
        self._now = 1_000.0
        self._timers: list[tuple[float, Callable[[], None], asyncio.AbstractEventLoop]] = []

    def of(self, loop: asyncio.AbstractEventLoop) -> LoopView:
        return LoopView(self, loop)

    def now(self) -> float:
        return self._now

    @property
    def pending(self) -> list[float]:
        """Seconds until each pending timer, soonest first."""
        return sorted(at - self._now for at, _, _ in self._timers)

    def set(self, seconds: float, then: Callable[[], None], loop: asyncio.AbstractEventLoop) -> Callable[[], None]:
        timer = (self._now + seconds, then, loop)
        self._timers.append(timer)
        return lambda: self._timers.remove(timer) if timer in self._timers else None

    async def advance(self, seconds: float) -> None:
        """Moves on and fires what falls due on the way, in order."""
        until = self._now + seconds
        while due := sorted((timer for timer in self._timers if timer[0] <= until), key=lambda timer: timer[0]):
            at, then, loop = due[0]
            self._timers.remove(due[0])
            self._now = max(self._now, at)
            loop.call_soon_threadsafe(then)
            await settle()
        self._now = until
        await settle()

    async def timer_within(self, seconds: float) -> None:
        while not any(left <= seconds for left in self.pending):
            await asyncio.sleep(0.001)


class LoopView:
    def __init__(self, clock: ManualClock, loop: asyncio.AbstractEventLoop) -> None:
        self._clock, self._loop = clock, loop

    def now(self) -> float:
        return self._clock.now()

    def after(self, seconds: float, then: Callable[[], None]) -> Callable[[], None]:
        return self._clock.set(seconds, then, self._loop)


async def settle() -> None:
    """Lets everything run that can run in this loop."""
    for _ in range(20):
        await asyncio.sleep(0)
