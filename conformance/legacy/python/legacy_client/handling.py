"""Runs the script of a job and reports by worker id alone, as existing workers do, wherever the job came from."""

from __future__ import annotations

import logging
import os
import threading
import time
from collections import Counter
from typing import Any, Protocol

from legacy_client.refusal import Refused, only

Json = dict[str, Any]

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


class Handling:
    def __init__(self, calls: JobCalls, given: Json, gates: Gates, deliveries: list[Json]) -> None:
        self.calls = calls
        self.worker_id: str = given["workerId"]
        self.scripts: dict[str, Json] = given["handlers"]
        for script in self.scripts.values():
            only(script, *_SCRIPT)
        self._gates = gates
        self._deliveries = deliveries
        self._seen: Counter[str] = Counter()

    def run(self, job: Json) -> None:
        """A report that fails is logged, and forgotten."""
        try:
            self._handle_and_report(job)
        except Refused as error:
            logger.warning("report of job %s failed: %s", job["id"], error)

    def _handle_and_report(self, job: Json) -> None:
        delivery = {"jobId": job["id"], **{name: job[name] for name in _FACTS if name != "id"}, "state": "started"}
        self._deliveries.append(delivery)
        try:
            variables = self._handle(job)
            delivery["state"] = "returned"
        except Failure as error:
            delivery["state"] = "threw"
            self.calls.fail(job["id"], self.worker_id, {"retryable": error.retryable, "errorMessage": str(error)})
            return
        try:
            self.calls.complete(job["id"], self.worker_id, variables)
        except Refused as error:
            # As existing runners do: an error on complete becomes a failure that may be retried.
            self.calls.fail(job["id"], self.worker_id, {"retryable": True, "errorMessage": str(error)})

    def _handle(self, job: Json) -> Json:
        script = self.scripts[job["jobType"]]
        self._seen[job["id"]] += 1
        if "waitsFor" in script:
            self._gates.of(script["waitsFor"]).wait()
        if "sleepsMs" in script:
            time.sleep(script["sleepsMs"] / 1000)
        if script.get("exits"):
            os._exit(1)
        facts = {**job, "attempt": self._seen[job["id"]]}
        _fail_as_told(script, facts["attempt"])
        copies = _picked(job["variables"], script.get("copies"))
        return {**script.get("sets", {}), **copies, **_picked(facts, script.get("copiesFacts"))}


def _fail_as_told(script: Json, deliveries: int) -> None:
    """The old contract does not tell the attempt: the deliveries that came here are counted."""
    message = script.get("message", "failed as told")
    if script.get("fails") == "for-good":
        raise Failure(message, retryable=False)
    if script.get("fails") == "retryably" or deliveries <= script.get("failsFirst", 0):
        raise Failure(message, retryable=True)


def _picked(source: Json, names: dict[str, str] | None) -> Json:
    return {to: source[name] for to, name in (names or {}).items() if name in source}
