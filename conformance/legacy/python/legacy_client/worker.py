"""A worker as existing ones are: polls at an interval, runs handlers on threads, reports by worker id alone."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

from legacy_client.handling import Handling
from legacy_client.refusal import Refused

Json = dict[str, Any]

POLL_INTERVAL = 0.5
MAX_JOBS = 64

logger = logging.getLogger("legacy")


class LegacyWorker:
    def __init__(self, handling: Handling, given: Json) -> None:
        self._handling = handling
        self._lease_seconds: int = given.get("leaseSeconds", 0)
        self._places = given.get("concurrency", MAX_JOBS)
        self._stopping = threading.Event()
        self._running: set[threading.Thread] = set()
        self._polling = threading.Thread(target=self._poll_on, daemon=True)
        self._polling.start()

    def stop(self, timeout: float) -> bool:
        """True when every handler ended in time."""
        self._stopping.set()
        until = time.monotonic() + timeout
        for thread in [self._polling, *self._running]:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in (self._polling, *self._running))

    def _poll_on(self) -> None:
        job_types = list(self._handling.scripts)
        while not self._stopping.is_set():
            try:
                free = min(MAX_JOBS, self._places - len(self._running))
                if free > 0:
                    calls, worker_id = self._handling.calls, self._handling.worker_id
                    self._take(calls.poll(worker_id, job_types, free, self._lease_seconds))
            except Refused as error:
                logger.warning("poll failed: %s", error)
            self._stopping.wait(POLL_INTERVAL)

    def _take(self, jobs: list[Json]) -> None:
        for job in jobs:
            thread = threading.Thread(target=self._run, args=(job,), daemon=True)
            self._running.add(thread)
            thread.start()

    def _run(self, job: Json) -> None:
        try:
            self._handling.run(job)
        finally:
            self._running.discard(threading.current_thread())
