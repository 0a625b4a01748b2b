"""A worker as existing ones are: polls at an interval, runs handlers on threads, reports by worker id alone."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import Counter
from typing import Any, Protocol

from legacy_client.refusal import NotSayable, Refused, only

Json = dict[str, Any]

POLL_INTERVAL = 0.5
MAX_JOBS = 64
_SCRIPT = ("waitsFor", "sleepsMs", "exits", "fails", "failsFirst", "message", "sets", "copies", "copiesFacts")
_FACTS = ("id", "jobType", "instanceId", "stepId", "stepExecutionId", "retriesRemaining")

logger = logging.getLogger("legacy")


class JobCalls(Protocol):
    def poll(self, worker_id: str, job_types: list[str], max_jobs: int, lease_seconds: int) -> list[Json]: ...

    def complete(self, job_id: str, worker_id: str, variables: Json) -> None: ...

    def fail(self, job_id: str, worker_id: str, failure: Json) -> None: ...


class Gates:
    """What the harness has let go stays open, also for handlers that come later."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._events: dict[str, threading.Event] = {}

    def of(self, name: str) -> threading.Event:
        with self._lock:
            return self._events.setdefault(name, threading.Event())


class Failure(Exception):
    def __init__(self, message: str, *, retryable: bool) -> None:
        super().__init__(message)
        self.retryable = retryable


class LegacyWorker:
    def __init__(self, calls: JobCalls, given: Json, gates: Gates, deliveries: list[Json]) -> None:
        self._calls = calls
        self._worker_id: str = given["workerId"]
        self._handlers: dict[str, Json] = _checked(given)
        self._lease_seconds: int = given.get("leaseSeconds", 0)
        self._gates = gates
        self._deliveries = deliveries
        self._places = given.get("concurrency", MAX_JOBS)
        self._stopping = threading.Event()
        self._running: set[threading.Thread] = set()
        self._seen: Counter[str] = Counter()
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
        while not self._stopping.is_set():
            try:
                free = min(MAX_JOBS, self._places - len(self._running))
                if free > 0:
                    self._take(self._calls.poll(self._worker_id, list(self._handlers), free, self._lease_seconds))
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
            self._handle_and_report(job)
        except Refused as error:
            logger.warning("report of job %s failed: %s", job["id"], error)
        finally:
            self._running.discard(threading.current_thread())

    def _handle_and_report(self, job: Json) -> None:
        delivery = {"jobId": job["id"], **{name: job[name] for name in _FACTS if name != "id"}, "state": "started"}
        self._deliveries.append(delivery)
        try:
            variables = self._handle(job)
            delivery["state"] = "returned"
        except Failure as error:
            delivery["state"] = "threw"
            self._calls.fail(job["id"], self._worker_id, {"retryable": error.retryable, "errorMessage": str(error)})
            return
        try:
            self._calls.complete(job["id"], self._worker_id, variables)
        except Refused as error:
            # As existing runners do: an error on complete becomes a failure that may be retried.
            self._calls.fail(job["id"], self._worker_id, {"retryable": True, "errorMessage": str(error)})

    def _handle(self, job: Json) -> Json:
        script = self._handlers[job["jobType"]]
        self._seen[job["id"]] += 1
        if "waitsFor" in script:
            self._gates.of(script["waitsFor"]).wait()
        if "sleepsMs" in script:
            time.sleep(script["sleepsMs"] / 1000)
        if script.get("exits"):
            os._exit(1)
        facts = {**job, "attempt": self._seen[job["id"]]}
        self._fail_as_told(script, facts["attempt"])
        copies = _picked(job["variables"], script.get("copies"))
        return {**script.get("sets", {}), **copies, **_picked(facts, script.get("copiesFacts"))}

    def _fail_as_told(self, script: Json, deliveries: int) -> None:
        """The old contract does not tell the attempt: the deliveries that came here are counted."""
        message = script.get("message", "failed as told")
        if script.get("fails") == "for-good":
            raise Failure(message, retryable=False)
        if script.get("fails") == "retryably" or deliveries <= script.get("failsFirst", 0):
            raise Failure(message, retryable=True)


def _picked(source: Json, names: dict[str, str] | None) -> Json:
    return {to: source[name] for to, name in (names or {}).items() if name in source}


def _checked(given: Json) -> dict[str, Json]:
    only(given, "workerId", "mode", "handlers", "concurrency", "leaseSeconds")
    if given["mode"] != "poll":
        raise NotSayable(f"mode {given['mode']}")
    handlers: dict[str, Json] = given["handlers"]
    for script in handlers.values():
        only(script, *_SCRIPT)
    return handlers
