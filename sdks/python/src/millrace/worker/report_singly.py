"""Sends one report by itself: in mode `poll`, and to find the one bad report in a refused batch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from millrace.client.worker_calls import WorkerCalls
from millrace.errors import EngineError, ServerTooOldError, TransportError
from millrace.worker.outcome import Completed
from millrace.worker.report import Report

Verdict = Literal["accepted", "stale", "unknown", "dropped"]

#: Malformed, too large, unsupported, contradicting: the report itself is wrong.
_REFUSED = frozenset({400, 413, 415, 422})
_BROKEN = 500
_LOST = ("interrupted", "timeout")


@dataclass(frozen=True)
class Delivery:
    """A verdict when it arrived, else the error."""

    verdict: Verdict | None = None
    error: Exception | None = None


async def report_singly(calls: WorkerCalls, worker_id: str, report: Report, timeout: float) -> Delivery:
    try:
        await _send(calls, worker_id, report, timeout)
    except Exception as error:
        return _explain(error)
    return Delivery("accepted")


async def _send(calls: WorkerCalls, worker_id: str, report: Report, timeout: float) -> None:
    job, outcome = report.job, report.outcome
    if isinstance(outcome, Completed):
        await calls.complete(
            job.id,
            worker_id=worker_id,
            lease_token=job.lease_token,
            variables=outcome.variables,
            timeout=timeout,
            max_attempts=1,
        )
        return
    await calls.fail(
        job.id,
        worker_id=worker_id,
        lease_token=job.lease_token,
        retryable=outcome.retryable,
        error_message=outcome.error_message,
        retry_after=outcome.retry_after,
        downstream_status=outcome.downstream_status,
        stack=outcome.stack,
        timeout=timeout,
        max_attempts=1,
    )


def _explain(error: Exception) -> Delivery:
    if isinstance(error, EngineError) and error.status == 409:
        return Delivery("stale")
    if isinstance(error, EngineError) and error.status == 404:
        return Delivery("unknown")
    return Delivery(error=error)


def is_refusal(error: Exception) -> bool:
    """The engine will never take this report."""
    return isinstance(error, EngineError) and error.status in _REFUSED


def is_breakdown(error: Exception) -> bool:
    """The engine answers, but cannot do it: the fault lies with this request and not with the link."""
    return isinstance(error, EngineError) and error.status == _BROKEN


def is_lost(error: Exception) -> bool:
    """The engine was there, and this request got no answer: the fault may lie with its size."""
    return isinstance(error, TransportError) and error.kind in _LOST


def is_cut(error: Exception) -> bool:
    return isinstance(error, TransportError) and error.kind == "interrupted"


def is_unsendable(error: Exception) -> bool:
    """Nothing was sent: the fault lies with what the report holds, and neither with the engine nor with the link."""
    return not isinstance(error, EngineError | TransportError | ServerTooOldError)
