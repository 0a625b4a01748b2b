"""The calls of a worker: poll, complete, fail, heartbeat, exchange. `Runner` makes them for you."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from millrace.client.part import Part
from millrace.errors import UsageError
from millrace.transport.call import Call, CallOptions, Repeat, checked_options
from millrace.transport.engine_wire import EngineWire
from millrace.types import (
    CompletedReport,
    ExchangeResult,
    FailedReport,
    HeartbeatResult,
    Job,
    PollOptions,
    PollResult,
)
from millrace.wire.codec import body, decode

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")


class WorkerCalls(Part):
    def __init__(self, wire: EngineWire, worker_id: str | None = None) -> None:
        super().__init__(wire)
        self._worker_id = worker_id

    async def poll(
        self,
        job_types: Sequence[str],
        *,
        worker_id: str | None = None,
        max_jobs: int | None = None,
        lease_seconds: int | None = None,
        wait_seconds: int | None = None,
        **options: Unpack[CallOptions],
    ) -> list[Job]:
        """Claims jobs. Not repeated: a lost answer may have claimed some, which come back when their lease ends."""
        asked = body(max_jobs=max_jobs, lease_seconds=lease_seconds, wait_seconds=wait_seconds)
        request = {**self._signed(worker_id), "jobTypes": list(job_types), **asked}
        call = Call("pollJobs", body=request, repeat="unsent", wait=wait_seconds or 0, untraced=True)
        return (await self._send(PollResult, call, options)).jobs

    async def complete(
        self,
        job_id: str,
        *,
        lease_token: str | None = None,
        variables: Mapping[str, Any] | None = None,
        worker_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> None:
        """`variables` are merged into the instance's. Always send the token of the job."""
        request = {**self._signed(worker_id), **body(lease_token=lease_token, variables=variables)}
        await self._report("completeJob", job_id, request, options)

    async def fail(
        self,
        job_id: str,
        *,
        lease_token: str | None = None,
        retryable: bool = False,
        error_message: str | None = None,
        retry_after: float | None = None,
        downstream_status: int | None = None,
        stack: str | None = None,
        worker_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> None:
        """`retry_after` in seconds; `downstream_status` is how the system that was called pushed back.

        `stack` says where the error was raised, for the page of the run.
        """
        said = body(
            lease_token=lease_token,
            error_message=error_message,
            retry_after=retry_after,
            downstream_status=downstream_status,
            stack=stack,
        )
        request = {**self._signed(worker_id), "retryable": retryable, **said}
        await self._report("failJob", job_id, request, options)

    async def heartbeat(
        self,
        job_id: str,
        *,
        lease_token: str | None = None,
        lease_seconds: int | None = None,
        with_variables: bool | None = None,
        worker_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> HeartbeatResult:
        """Extends the lease; LeaseLostError when it is another worker's. `with_variables` brings those of the job."""
        lease = body(lease_token=lease_token, lease_seconds=lease_seconds, with_variables=with_variables)
        request = {**self._signed(worker_id), **lease}
        return decode(HeartbeatResult, await self._report("heartbeatJob", job_id, request, options))

    async def exchange(
        self,
        *,
        completed: Sequence[CompletedReport] = (),
        failed: Sequence[FailedReport] = (),
        poll: PollOptions | None = None,
        worker_id: str | None = None,
        **options: Unpack[CallOptions],
    ) -> ExchangeResult:
        """Up to 500 reports and a poll in one round trip. With reports it never waits."""
        reports = body(completed=list(completed) or None, failed=list(failed) or None, poll=poll)
        wait = (poll.wait_seconds or 0) if poll and not (completed or failed) else 0
        request = {**self._signed(worker_id), **reports}
        repeat: Repeat = "always" if poll is None else "unsent"
        call = Call("exchangeJobs", body=request, repeat=repeat, wait=wait, untraced=True)
        return await self._send(ExchangeResult, call, options)

    async def _report(self, operation: str, job_id: str, request: dict[str, Any], options: Mapping[str, Any]) -> Any:
        """The token, or else the worker id, makes a repeated report harmless."""
        call = Call(operation, path={"jobId": job_id}, body=request, untraced=True, **checked_options(options))
        return await self._wire.call(call)

    async def _send(self, shape: type[T], call: Call, options: Mapping[str, Any]) -> T:
        return decode(shape, await self._wire.call(replace(call, **checked_options(options))))

    def _signed(self, worker_id: str | None) -> dict[str, Any]:
        name = worker_id or self._worker_id
        if not name:
            raise UsageError("a worker_id is needed: give it to the EngineClient or to the call")
        return {"workerId": name}
