"""Keeps the leases of all running jobs from a thread with its own event loop and connections: a handler that blocks the
runner's loop keeps its lease, and only a dead process loses it."""

from __future__ import annotations

import asyncio
import logging
import math
import threading
from collections.abc import Callable
from dataclasses import dataclass

from millrace.client.engine_client import EngineClient
from millrace.types import Job
from millrace.worker.cancellation import LeaseLost
from millrace.worker.clock import ClockOf
from millrace.worker.lease import Lease, LeaseEvents, LeaseSpan, LeaseTerms, LeaseTools

Lost = Callable[[LeaseLost], None]


@dataclass(frozen=True)
class KeeperSetup:
    client: EngineClient
    terms: LeaseTerms
    clock: ClockOf
    logger: logging.Logger


class KeptLease:
    """The runner's end of a lease that the keeper's thread extends."""

    def __init__(self, span: LeaseSpan) -> None:
        #: After this moment the lease is surely over.
        self.gone_at = span.gone_at
        self.lease: Lease | None = None
        self.released = False

    def extended(self, span: LeaseSpan) -> None:
        self.gone_at = span.gone_at


class LeaseKeeper:
    def __init__(self, setup: KeeperSetup) -> None:
        self._setup = setup
        self._thread: threading.Thread | None = None
        self._closed = False

    def keep(self, job: Job, span: LeaseSpan, lost: Lost) -> KeptLease:
        """`lost` is called in the keeper's thread. A lease without end is left alone."""
        kept = KeptLease(span)
        if span.ends_at < math.inf:
            self._in_thread(lambda: self._begin(job, span, kept, lost))
        return kept

    def release(self, kept: KeptLease) -> None:
        if self._thread is not None:
            self._in_thread(lambda: self._end(kept))

    async def close(self) -> None:
        self._closed = True
        if self._thread is None:
            return
        self._loop.call_soon_threadsafe(self._loop.stop)
        await asyncio.get_running_loop().run_in_executor(None, self._thread.join)

    def _begin(self, job: Job, span: LeaseSpan, kept: KeptLease, lost: Lost) -> None:
        if not kept.released:
            kept.lease = Lease(job, span, self._tools, LeaseEvents(kept.extended, lost))

    def _end(self, kept: KeptLease) -> None:
        kept.released = True
        if kept.lease is not None:
            kept.lease.release()

    def _in_thread(self, then: Callable[[], None]) -> None:
        if self._closed:
            return
        if self._thread is None:
            self._thread = self._open()
        self._loop.call_soon_threadsafe(then)

    def _open(self) -> threading.Thread:
        """With the first lease. A daemon: the runner decides how long the process lives."""
        self._loop = asyncio.new_event_loop()
        self._client = self._setup.client.clone()
        self._tools = LeaseTools(self._client, self._setup.clock(self._loop), self._setup.logger, self._setup.terms)
        thread = threading.Thread(target=self._run, name="millrace-heartbeats", daemon=True)
        thread.start()
        return thread

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
            self._loop.run_until_complete(self._shut())
        finally:
            self._loop.close()

    async def _shut(self) -> None:
        beating = [task for task in asyncio.all_tasks(self._loop) if task is not asyncio.current_task()]
        for task in beating:
            task.cancel()
        await asyncio.gather(*beating, return_exceptions=True)
        await self._client.close()
