"""A StreamJobs call: credit and "started" go up, jobs come down."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import grpc

from millrace._generated import engine_pb2 as pb
from millrace.transport.call import Call
from millrace.transport.caller import Caller
from millrace.transport.grpc_shapes import JOB
from millrace.transport.grpc_transport import GrpcTransport
from millrace.types import Job, PollOptions
from millrace.wire.codec import decode


class JobStream:
    """Opened at the address that the caller asks just now; when it breaks, the caller moves on to the next."""

    def __init__(self, caller: Caller, worker_id: str, asked: PollOptions) -> None:
        transport = caller.transport
        assert isinstance(transport, GrpcTransport)
        self._caller = caller
        self._transport = transport
        self._up: asyncio.Queue[Any] = asyncio.Queue()
        opening = pb.OpenStream(
            worker_id=worker_id,
            job_types=asked.job_types,
            lease_seconds=asked.lease_seconds or 0,
            credit=asked.max_jobs or 0,
        )
        self._up.put_nowait(pb.StreamJobsRequest(open=opening))
        self._call = transport.stream(self._requests(), caller.headers(Call("streamJobs", untraced=True)))

    def add_credit(self, places: int) -> None:
        self._up.put_nowait(pb.StreamJobsRequest(credit=places))

    def started(self, jobs: Sequence[Job]) -> None:
        names = [pb.StartedJob(job_id=job.id, lease_token=job.lease_token) for job in jobs]
        self._up.put_nowait(pb.StreamJobsRequest(started=pb.StartedJobs(jobs=names)))

    async def __aiter__(self) -> AsyncIterator[list[Job]]:
        """Ends when the engine ends the stream; raises what a call would when it breaks."""
        try:
            async for answer in self._call:
                yield [decode(Job, JOB.decode(job)) for job in answer.jobs]
        except grpc.aio.AioRpcError as error:
            self._caller.leave(self._transport)
            raise self._transport.explain(error) from error

    def close(self) -> None:
        self._call.cancel()

    async def _requests(self) -> AsyncIterator[Any]:
        while True:
            yield await self._up.get()
