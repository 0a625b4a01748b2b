"""Asks the engine for the variables of a dispatch whose message had no room for them."""

from __future__ import annotations

from typing import Any

from millrace.errors import ServerTooOldError
from millrace.types import Job
from millrace.worker.settings import RunnerSettings


async def fetch_variables(settings: RunnerSettings, job: Job) -> dict[str, Any]:
    """Fails with LeaseLostError where the dispatch is not the job's latest any more."""
    answer = await settings.client.heartbeat(
        job.id,
        lease_token=job.lease_token,
        lease_seconds=settings.lease_seconds,
        with_variables=True,
        worker_id=settings.worker_id,
        max_attempts=1,
    )
    if answer.variables is None:
        raise ServerTooOldError("the engine brings no variables with a heartbeat: it is older than this SDK")
    return answer.variables
