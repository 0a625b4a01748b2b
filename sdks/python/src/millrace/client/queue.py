"""Jobs that stand alone: enqueue them, look at them, cancel them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from millrace.client.part import Part, follow_cursor
from millrace.transport.call import Call, CallOptions, ChangeOptions
from millrace.types import (
    EndedJob,
    EndedJobPage,
    EndedJobStatus,
    EnqueuedJobs,
    EnqueueJob,
    JobAttempt,
    JobAttemptList,
    LiveJob,
    LiveJobPage,
    LiveJobStatus,
    Priority,
    RerunJob,
    StandaloneJob,
    Waiting,
    WaitingReason,
)
from millrace.wire.codec import body, encode

if TYPE_CHECKING:
    from typing_extensions import Unpack


class QueueCalls(Part):
    async def enqueue(
        self,
        type: str,
        payload: Mapping[str, Any] | None = None,
        *,
        priority: Priority | None = None,
        key: str | None = None,
        delay: str | None = None,
        timeout_each: str | None = None,
        retries: int | None = None,
        retry: str | Mapping[str, Any] | None = None,
        fair_key: str | None = None,
        limit: Mapping[str, Any] | None = None,
        unique: Mapping[str, Any] | None = None,
        downstream: str | None = None,
        **options: Unpack[ChangeOptions],
    ) -> StandaloneJob:
        """Puts a job into the queue, for the workers of its type. Durations are ISO-8601.

        `timeout_each`: how long one attempt may run.
        """
        job = EnqueueJob(
            type=type,
            payload=dict(payload or {}),
            priority=priority,
            key=key,
            delay=delay,
            timeout=timeout_each,
            retries=retries,
            retry=retry,
            fair_key=fair_key,
            limit=dict(limit) if limit else None,
            unique=dict(unique) if unique else None,
            downstream=downstream,
        )
        return await self._get(StandaloneJob, Call("enqueueJob", body=encode(job)), options)

    async def enqueue_many(self, jobs: Sequence[EnqueueJob], **options: Unpack[ChangeOptions]) -> list[str]:
        """Up to 1000 jobs: their ids, in this order."""
        call = Call("enqueueJobs", body={"jobs": encode(list(jobs))})
        return (await self._get(EnqueuedJobs, call, options)).ids

    async def get_job(self, id: str, **options: Unpack[CallOptions]) -> StandaloneJob:
        return await self._get(StandaloneJob, Call("getJob", path={"jobId": id}), options)

    async def cancel_job(
        self, id: str, *, reason: str | None = None, **options: Unpack[ChangeOptions]
    ) -> StandaloneJob:
        return await self._get(StandaloneJob, Call("cancelJob", path={"jobId": id}, body=body(reason=reason)), options)

    async def get_job_waiting(self, id: str, **options: Unpack[CallOptions]) -> list[WaitingReason]:
        """Why a job is not moving."""
        return (await self._get(Waiting, Call("explainJobWaiting", path={"jobId": id}), options)).reasons

    async def list_jobs(
        self,
        *,
        status: LiveJobStatus | None = None,
        job_type: str | None = None,
        priority: Priority | None = None,
        key_prefix: str | None = None,
        page_size: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> LiveJobPage:
        """One page of the jobs that are not done, of workflows too: `ready` unless a status is given."""
        query = body(
            status=status,
            job_type=job_type,
            priority=priority,
            key_prefix=key_prefix,
            page_size=page_size,
            cursor=cursor,
        )
        return await self._get(LiveJobPage, Call("listJobs", query=query), options)

    def jobs(
        self,
        *,
        status: LiveJobStatus | None = None,
        job_type: str | None = None,
        priority: Priority | None = None,
        key_prefix: str | None = None,
        page_size: int | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncIterator[LiveJob]:
        """Every one that matches, page after page."""
        query = body(status=status, job_type=job_type, priority=priority, key_prefix=key_prefix, page_size=page_size)

        async def fetch(cursor: str | None) -> LiveJobPage:
            return await self._get(LiveJobPage, Call("listJobs", query={**query, **body(cursor=cursor)}), options)

        return follow_cursor(fetch)

    async def list_ended_jobs(
        self,
        *,
        status: EndedJobStatus | None = None,
        job_type: str | None = None,
        priority: Priority | None = None,
        key_prefix: str | None = None,
        page_size: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> EndedJobPage:
        """One page of the standalone jobs that have ended, newest first."""
        query = body(
            status=status,
            job_type=job_type,
            priority=priority,
            key_prefix=key_prefix,
            page_size=page_size,
            cursor=cursor,
        )
        return await self._get(EndedJobPage, Call("listEndedJobs", query=query), options)

    def ended_jobs(
        self,
        *,
        status: EndedJobStatus | None = None,
        job_type: str | None = None,
        priority: Priority | None = None,
        key_prefix: str | None = None,
        page_size: int | None = None,
        **options: Unpack[CallOptions],
    ) -> AsyncIterator[EndedJob]:
        """Every one that matches, page after page."""
        query = body(status=status, job_type=job_type, priority=priority, key_prefix=key_prefix, page_size=page_size)

        async def fetch(cursor: str | None) -> EndedJobPage:
            return await self._get(EndedJobPage, Call("listEndedJobs", query={**query, **body(cursor=cursor)}), options)

        return follow_cursor(fetch)

    async def get_job_attempts(self, id: str, **options: Unpack[CallOptions]) -> list[JobAttempt]:
        """Those that are over, the latest first."""
        return (await self._get(JobAttemptList, Call("listJobAttempts", path={"jobId": id}), options)).items

    async def rerun_job(self, id: str, **options: Unpack[ChangeOptions]) -> RerunJob:
        """A new job with the payload of one that has ended. A dead letter is replayed instead."""
        return await self._get(RerunJob, Call("rerunJob", path={"jobId": id}), options)
