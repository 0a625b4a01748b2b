"""Keeps one lease alive while its handler runs, and tells when it must be taken for lost.

All times are the monotonic clock's. A lease has two ends here, because the moment the engine granted it is known only
to lie between question and answer:
  ends_at   counted from the question: before it the lease surely holds. Heartbeats come every third of what is left; at
            ends_at - margin without an extension the handler is told to stop;
  gone_at   counted from the answer: after it the lease surely ended.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from millrace.backoff import backoff
from millrace.errors import EngineError, MillraceError
from millrace.types import HeartbeatResult, Job
from millrace.worker.cancellation import LeaseLost
from millrace.worker.clock import Clock

_HEARTBEATS_PER_LEASE = 3


@dataclass(frozen=True)
class LeaseSpan:
    ends_at: float
    gone_at: float


@dataclass(frozen=True)
class LeaseTerms:
    worker_id: str
    lease_seconds: int
    margin: float

    def span(self, asked_at: float, answered_at: float) -> LeaseSpan:
        """The span of a lease that was granted between the two."""
        return LeaseSpan(asked_at + self.lease_seconds, answered_at + self.lease_seconds)


@dataclass(frozen=True)
class LeaseEvents:
    extended: Callable[[LeaseSpan], None]
    lost: Callable[[LeaseLost], None]


class Heartbeats(Protocol):
    async def heartbeat(
        self,
        job_id: str,
        *,
        lease_token: str | None = None,
        lease_seconds: int | None = None,
        worker_id: str | None = None,
        timeout: float | None = None,
        max_attempts: int | None = None,
    ) -> HeartbeatResult: ...


@dataclass(frozen=True)
class LeaseTools:
    calls: Heartbeats
    clock: Clock
    logger: logging.Logger
    terms: LeaseTerms

    async def beat(self, job: Job, timeout: float) -> LeaseSpan:
        asked_at = self.clock.now()
        await self.calls.heartbeat(
            job.id,
            lease_token=job.lease_token,
            lease_seconds=self.terms.lease_seconds,
            worker_id=self.terms.worker_id,
            timeout=max(0.001, timeout),
            max_attempts=1,
        )
        return self.terms.span(asked_at, self.clock.now())


class Lease:
    """Lives in the event loop in which it is made."""

    def __init__(self, job: Job, span: LeaseSpan, tools: LeaseTools, events: LeaseEvents) -> None:
        self._job = job
        self._span = span
        self._tools = tools
        self._events = events
        self._failures = 0
        self._over = False
        self._beating: asyncio.Task[None] | None = None
        self._cancel_beat: Callable[[], None] = _nothing
        self._cancel_guard: Callable[[], None] = _nothing
        self._beat_after((span.ends_at - tools.clock.now()) / _HEARTBEATS_PER_LEASE)

    def release(self) -> None:
        """No more heartbeats; the lease is left to its report or to its end."""
        self._over = True
        self._cancel_beat()
        self._cancel_guard()

    def _beat_after(self, seconds: float) -> None:
        self._cancel_beat = self._tools.clock.after(max(0.0, seconds), self._start_beat)

    def _start_beat(self) -> None:
        self._beating = asyncio.ensure_future(self._beat())

    async def _beat(self) -> None:
        self._guard()
        if self._over:
            return
        try:
            span = await self._tools.beat(self._job, self._left())
        except MillraceError as error:
            if not self._over:
                self._after_failure(error)
        else:
            if not self._over:
                self._extend(span)

    def _guard(self) -> None:
        """A second timer stands behind a heartbeat: an answer that hangs must not outlast the lease."""
        self._cancel_guard()
        if self._left() <= 0:
            self._give_up()
        else:
            self._cancel_guard = self._tools.clock.after(self._left(), self._give_up)

    def _give_up(self) -> None:
        self._lose(LeaseLost("the lease could not be extended in time"))

    def _extend(self, span: LeaseSpan) -> None:
        self._cancel_guard()
        self._span = span
        self._failures = 0
        self._events.extended(span)
        self._beat_after((span.ends_at - self._tools.clock.now()) / _HEARTBEATS_PER_LEASE)

    def _after_failure(self, error: MillraceError) -> None:
        if is_lost(error):
            self._lose(LeaseLost("the engine says the lease is lost", refused=True))
            return
        self._failures += 1
        self._tools.logger.warning("heartbeat of job %s failed, trying again: %s", self._job.id, error)
        self._beat_after(min(backoff(self._failures), self._left()))

    def _left(self) -> float:
        """Seconds until the handler has to be told to stop."""
        return self._span.ends_at - self._tools.terms.margin - self._tools.clock.now()

    def _lose(self, reason: LeaseLost) -> None:
        self.release()
        self._events.lost(reason)


def is_lost(error: Exception) -> bool:
    """404: the job is gone altogether."""
    return isinstance(error, EngineError) and error.status in (404, 409)


def _nothing() -> None:
    pass
