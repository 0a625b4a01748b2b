"""Asks for jobs whenever places are free: long polls, answered as soon as there is work, or short polls."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from millrace.backoff import backoff
from millrace.errors import EngineError, MillraceError
from millrace.worker.bell import Bell
from millrace.worker.clock import Clock, sleep
from millrace.worker.settings import RunnerSettings

#: An engine that answers "nothing" at once although asked to wait is shutting down, or too old to wait.
_LONGEST_PAUSE = 0.5


@dataclass(frozen=True)
class PollLaneOptions:
    settings: RunnerSettings
    clock: Clock
    #: Set when no more work is wanted.
    stopping: asyncio.Event
    #: Places to ask for now; 0 when there are none.
    places: Callable[[], int]
    #: Asks once and starts what comes; the number of jobs.
    poll: Callable[[int], Awaitable[int]]


class PollLane:
    def __init__(self, options: PollLaneOptions) -> None:
        self._o = options
        self._changed = Bell()
        self._failures = 0
        self._hasty_answers = 0

    def wake(self) -> None:
        """Something changed that may have freed places."""
        self._changed.ring()

    async def run(self) -> None:
        """Until it is cancelled."""
        while not self._o.stopping.is_set():
            places = self._o.places()
            if places > 0:
                await self._poll_once(places)
            else:
                await self._changed.next()

    async def _poll_once(self, places: int) -> None:
        asked_at = self._o.clock.now()
        try:
            jobs = await self._o.poll(places)
        except MillraceError as error:
            await self._back_off(error)
            return
        self._failures = 0
        pause = self._pause(places, jobs, self._o.clock.now() - asked_at)
        await sleep(self._o.clock, pause, self._o.stopping)

    def _pause(self, places: int, jobs: int, took: float) -> float:
        interval = self._o.settings.poll_interval
        if interval is not None:
            return interval if jobs < places else 0.0
        hasty = jobs == 0 and took < self._o.settings.longest_wait / 2
        self._hasty_answers = self._hasty_answers + 1 if hasty else 0
        return min(_LONGEST_PAUSE, backoff(self._hasty_answers)) if hasty else 0.0

    async def _back_off(self, error: MillraceError) -> None:
        self._failures += 1
        asked = (error.retry_after or 0.0) if isinstance(error, EngineError) else 0.0
        pause = max(asked, backoff(self._failures))
        self._o.settings.logger.warning("poll failed, asking again in %.1f s: %s", pause, error)
        await sleep(self._o.clock, pause, self._o.stopping)
