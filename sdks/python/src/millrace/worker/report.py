"""A finished job on its way back to the engine, and how reports are packed into one request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from millrace.types import CompletedReport, FailedReport, Job
from millrace.worker.outcome import Completed, Failed, Outcome

_MAX_REPORTS = 500
#: The engine takes bodies up to 1 MiB; this leaves room for ids, tokens and escapes.
_MAX_BYTES = 700_000
_OVERHEAD_BYTES = 300


@dataclass
class Report:
    job: Job
    outcome: Outcome
    #: Too late after this moment: its lease surely ended and was swept up.
    give_up_at: float
    #: Its lease is lost already: worth one try, because the engine takes it if no other worker claimed the job.
    once: bool
    #: Told when the report is settled.
    ended: Callable[[bool], None]
    tries: int = 0


def take_batch(waiting: list[Report]) -> list[Report]:
    """Takes from the front as many reports as fit into one exchange, at least one."""
    size, taken = 0, 0
    for report in waiting[:_MAX_REPORTS]:
        size += report.outcome.size + _OVERHEAD_BYTES
        if taken and size > _MAX_BYTES:
            break
        taken += 1
    batch = waiting[:taken]
    del waiting[:taken]
    return batch


def in_answer_order(batch: list[Report]) -> list[Report]:
    """An exchange answers completed ones first, then failed ones."""
    return sorted(batch, key=lambda report: isinstance(report.outcome, Failed))


def completed_reports(batch: list[Report]) -> list[CompletedReport]:
    return [
        CompletedReport(job_id=job.id, lease_token=job.lease_token, variables=_plain(outcome))
        for job, outcome in ((report.job, report.outcome) for report in batch)
        if isinstance(outcome, Completed)
    ]


def failed_reports(batch: list[Report]) -> list[FailedReport]:
    return [
        FailedReport(
            job_id=job.id,
            lease_token=job.lease_token,
            retryable=outcome.retryable,
            error_message=outcome.error_message,
            retry_after=outcome.retry_after,
            downstream_status=outcome.downstream_status,
            stack=outcome.stack,
        )
        for job, outcome in ((report.job, report.outcome) for report in batch)
        if isinstance(outcome, Failed)
    ]


def _plain(outcome: Completed) -> dict[str, object] | None:
    return None if outcome.variables is None else dict(outcome.variables)
