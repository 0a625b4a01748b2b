"""Has jobs pushed as they come: gives credit for free places, and opens the stream again when it ends.

Every place of the credit is promised (`asked` of the slots) until its job has come or the stream is over. A job is said
to be started as soon as it is here: when the stream breaks, it keeps its lease, and others that were on the way are
ready again.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from millrace.backoff import backoff
from millrace.errors import EngineError, MillraceError
from millrace.transport.job_stream import JobStream
from millrace.types import Job, PollOptions
from millrace.worker.clock import Clock, sleep
from millrace.worker.lease import LeaseSpan, LeaseTerms
from millrace.worker.settings import RunnerSettings
from millrace.worker.slots import Slots

#: A stream that ends sooner counts as a failure: an engine that drains ends each at once.
_HASTY = 1.0


@dataclass(frozen=True)
class StreamLaneOptions:
    settings: RunnerSettings
    clock: Clock
    #: Set when no more work is wanted.
    stopping: asyncio.Event
    slots: Slots
    terms: LeaseTerms
    take: Callable[[Sequence[Job], LeaseSpan], None]


class StreamLane:
    def __init__(self, options: StreamLaneOptions) -> None:
        self._o = options
        self._stream: JobStream | None = None
        self._credit = 0
        self._failures = 0

    def wake(self) -> None:
        """Places may be free: they are given to the engine as credit."""
        places = self._o.slots.free
        if self._stream is not None and places > 0 and not self._o.stopping.is_set():
            self._promise(places)
            self._stream.add_credit(places)

    async def run(self) -> None:
        """Until it is cancelled."""
        while not self._o.stopping.is_set():
            opened_at = self._o.clock.now()
            try:
                await self._stream_once()
                hasty = self._o.clock.now() - opened_at < _HASTY
                self._failures = self._failures + 1 if hasty else 0
                await sleep(self._o.clock, backoff(self._failures) if hasty else 0.0, self._o.stopping)
            except MillraceError as error:
                await self._back_off(error)

    async def _stream_once(self) -> None:
        self._stream = stream = self._open()
        try:
            async for jobs in stream:
                self._failures = 0
                self._received(stream, jobs)
        finally:
            self._stream = None
            self._o.slots.answered(self._credit)
            self._credit = 0
            stream.close()

    def _open(self) -> JobStream:
        settings = self._o.settings
        assert settings.client.wire.grpc is not None, "checked with the settings"
        places = max(0, self._o.slots.free)
        self._promise(places)
        asked = PollOptions(
            job_types=settings.handlers.job_types(), max_jobs=places, lease_seconds=settings.lease_seconds
        )
        return JobStream(settings.client.wire.grpc, settings.worker_id, asked)

    def _promise(self, places: int) -> None:
        self._o.slots.ask(places)
        self._credit += places

    def _received(self, stream: JobStream, jobs: Sequence[Job]) -> None:
        self._o.slots.answered(len(jobs))
        self._credit -= len(jobs)
        for job in jobs:
            self._o.take([job], self._span(job))
        stream.started(jobs)

    def _span(self, job: Job) -> LeaseSpan:
        """The question is long ago: the end that the engine names counts where it is sooner than a lease from now."""
        now = self._o.clock.now()
        span = self._o.terms.span(now, now)
        return LeaseSpan(min(span.ends_at, now + _seconds_until(job.lock_expires_at)), span.gone_at)

    async def _back_off(self, error: MillraceError) -> None:
        self._failures += 1
        asked = (error.retry_after or 0.0) if isinstance(error, EngineError) else 0.0
        pause = max(asked, backoff(self._failures))
        self._o.settings.logger.warning("the stream of jobs broke, opening it again in %.1f s: %s", pause, error)
        await sleep(self._o.clock, pause, self._o.stopping)


def _seconds_until(time: str) -> float:
    moment = datetime.fromisoformat(time.replace("Z", "+00:00"))
    return (moment - datetime.now(timezone.utc)).total_seconds()
