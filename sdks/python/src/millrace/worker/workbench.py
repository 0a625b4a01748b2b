"""Runs claimed jobs: each under its lease, from the claim to the report that leaves."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from millrace.errors import MillraceError
from millrace.types import Job
from millrace.worker.cancellation import Cancellation, LeaseLost, RunnerStopped
from millrace.worker.claim import Claim
from millrace.worker.clock import Clock
from millrace.worker.execute import execute
from millrace.worker.lease import LeaseSpan, LeaseTerms, LeaseTools, is_lost
from millrace.worker.lease_keeper import KeeperSetup, LeaseKeeper
from millrace.worker.outcome import Completed, Failed
from millrace.worker.report import Report
from millrace.worker.report_singly import Verdict
from millrace.worker.settings import RunnerSettings
from millrace.worker.slots import Slots

#: The engine sweeps up an ended lease at the latest after these seconds.
_SWEEP = 5.0


@dataclass(frozen=True)
class WorkbenchOptions:
    settings: RunnerSettings
    clock: Clock
    slots: Slots
    #: A job is finished; None when it left nothing to report. Its place is free by then.
    finished: Callable[[Report | None], None]
    #: A handler was interrupted: the worker has to stop.
    interrupted: Callable[[], None]


class Workbench:
    def __init__(self, options: WorkbenchOptions) -> None:
        self._o = options
        self._s = options.settings
        self.terms = LeaseTerms(self._s.worker_id, self._s.lease_seconds, self._s.margin)
        self._tools = LeaseTools(self._s.client, options.clock, self._s.logger, self.terms)
        self._leases = LeaseKeeper(KeeperSetup(self._s.client, self.terms, self._s.clock, self._s.logger))
        self._running: dict[asyncio.Task[None], Cancellation] = {}

    def take(self, jobs: Sequence[Job], span: LeaseSpan) -> None:
        """Runs jobs that were claimed with one lease span."""
        for job in jobs:
            self.run(Claim(job, span))

    def run(self, claim: Claim) -> Cancellation:
        """Runs one job; what is returned tells its handler to stop."""
        self._o.slots.start()
        cancellation = Cancellation()
        task = asyncio.ensure_future(self._run(claim, cancellation))
        self._running[task] = cancellation
        task.add_done_callback(lambda done: self._running.pop(done, None))
        return cancellation

    async def close(self) -> None:
        """Tells every handler to stop, and lets go of the leases."""
        for cancellation in list(self._running.values()):
            cancellation.fire(RunnerStopped("the runner stopped"))
        await self._leases.close()

    def settled(self, report: Report, verdict: Verdict) -> None:
        """Counts what became of a report, and tells it."""
        report.ended(True)
        job, outcome, metrics = report.job, report.outcome, self._s.metrics
        if verdict == "accepted":
            metrics.completed(job.job_type, "success" if isinstance(outcome, Completed) else "failure")
            if isinstance(outcome, Failed) and outcome.retryable:
                metrics.retried(job.job_type)
            return
        if verdict == "stale":
            metrics.lock_conflict(job.job_type, job.id)
        self._s.logger.warning("the result of job %s of type %s did not count: %s", job.id, job.job_type, verdict)

    async def _run(self, claim: Claim, cancellation: Cancellation) -> None:
        report = None
        try:
            span = await self._sure_span(claim.job, claim.span)
            report = await self._run_leased(claim, span, cancellation) if span else None
        except Exception as error:
            # Such as metrics or a logger of the program's own that raise: the job comes back when its lease ends.
            self._s.logger.error("the worker broke over job %s and reports nothing of it", claim.job.id, exc_info=error)
        finally:
            self._o.slots.finish()
            if report is None:
                claim.ended(_refused(cancellation))
            self._o.finished(report)

    async def _run_leased(self, claim: Claim, span: LeaseSpan, cancellation: Cancellation) -> Report | None:
        kept = self._leases.keep(claim.job, span, lambda reason: self._lose(claim.job, cancellation, reason))
        try:
            executed = await execute(claim.job, cancellation, self._s, self._o.clock)
        finally:
            self._leases.release(kept)
        if executed.interrupted:
            self._o.interrupted()
        if executed.gave_up:
            return None
        give_up_at = math.inf if claim.lasting else kept.gone_at + _SWEEP
        once = _refused(cancellation) if claim.lasting else _lost(cancellation)
        return Report(claim.job, executed.outcome, give_up_at, once, claim.ended)

    async def _sure_span(self, job: Job, span: LeaseSpan) -> LeaseSpan | None:
        """An answer that was so long on its way that the lease may be over: ask before starting."""
        if span.ends_at - self._s.margin > self._o.clock.now():
            return span
        try:
            return await self._tools.beat(job, self._s.lease_seconds - self._s.margin)
        except MillraceError as error:
            if is_lost(error):
                self._s.metrics.lock_conflict(job.job_type, job.id)
            self._s.logger.warning("job %s came too late and was not started: %s", job.id, error)
            return None

    def _lose(self, job: Job, cancellation: Cancellation, reason: LeaseLost) -> None:
        """In the thread of the heartbeats."""
        if reason.refused:
            self._s.metrics.lock_conflict(job.job_type, job.id)
        self._s.logger.warning("lease of job %s lost, handler told to stop: %s", job.id, reason)
        cancellation.fire(reason)


def _lost(cancellation: Cancellation) -> bool:
    return isinstance(cancellation.reason, LeaseLost)


def _refused(cancellation: Cancellation) -> bool:
    """The engine has said that the job is no longer this worker's."""
    return isinstance(cancellation.reason, LeaseLost) and cancellation.reason.refused
