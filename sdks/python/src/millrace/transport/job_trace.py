"""The trace of the job whose handler runs here: what the handler asks of an engine goes on with it."""

from __future__ import annotations

from collections.abc import Mapping
from contextvars import ContextVar

from millrace.types import Job

current_job: ContextVar[Job | None] = ContextVar("millrace_job", default=None)


def job_trace() -> Mapping[str, str] | None:
    """The W3C trace context, where the job has one."""
    job = current_job.get()
    if job is None or not job.traceparent:
        return None
    return {"traceparent": job.traceparent, **({"tracestate": job.tracestate} if job.tracestate else {})}
