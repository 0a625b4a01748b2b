"""The metrics of a worker, under the names every SDK uses, and the interface for those who measure elsewhere."""

from __future__ import annotations

import threading
from typing import Literal, Protocol

from millrace.worker.prometheus import Counter, Histogram

ReportedOutcome = Literal["success", "failure"]

_POLL_BOUNDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 10, 20, 30)
_HANDLER_BOUNDS = (0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300)


class Metrics(Protocol):
    """Called beside each measurement, from any thread; keep it quick, and raise nothing."""

    def polled(self, seconds: float, jobs: int) -> None: ...

    def lock_conflict(self, job_type: str, job_id: str) -> None: ...

    def handled(self, job_type: str, seconds: float) -> None: ...

    def retried(self, job_type: str) -> None: ...

    def completed(self, job_type: str, outcome: ReportedOutcome) -> None: ...


class SdkMetrics:
    """Counts in memory; `text` is what a Prometheus server reads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._poll = Histogram(
            "workflow_sdk_poll_latency_seconds",
            "Time from asking for jobs to the answer, the engine's waiting included.",
            _POLL_BOUNDS,
        )
        self._conflicts = Counter(
            "workflow_sdk_lock_conflicts_total",
            "Reports and heartbeats refused because the lease was lost.",
            starts_at_zero=True,
        )
        self._handler = Histogram("workflow_sdk_handler_latency_seconds", "Time handlers ran.", _HANDLER_BOUNDS)
        self._retries = Counter("workflow_sdk_retries_total", "Failures reported as retryable.")
        self._completed = Counter("workflow_sdk_jobs_completed_total", "Jobs whose report the engine accepted.")

    def polled(self, seconds: float, jobs: int) -> None:
        del jobs
        with self._lock:
            self._poll.observe(seconds)

    def lock_conflict(self, job_type: str, job_id: str) -> None:
        del job_type, job_id
        with self._lock:
            self._conflicts.add()

    def handled(self, job_type: str, seconds: float) -> None:
        with self._lock:
            self._handler.observe(seconds, job_type=job_type)

    def retried(self, job_type: str) -> None:
        with self._lock:
            self._retries.add(job_type=job_type)

    def completed(self, job_type: str, outcome: ReportedOutcome) -> None:
        with self._lock:
            self._completed.add(job_type=job_type, outcome=outcome)

    def text(self) -> str:
        """Prometheus' text format."""
        with self._lock:
            metrics = (self._poll, self._conflicts, self._handler, self._retries, self._completed)
            return "".join(metric.render() for metric in metrics)
