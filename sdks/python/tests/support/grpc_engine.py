"""A real gRPC server that stands in for an engine: answers as the test scripts it, records every request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
from google.protobuf.any_pb2 import Any as Packed
from google.protobuf.duration_pb2 import Duration
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from millrace._generated import engine_pb2 as pb
from millrace.transport.grpc_methods import METHODS

SERVICE = "workflow.v1.WorkflowEngine"


class GrpcEngine:
    def __init__(self) -> None:
        self.requests: list[tuple[str, Any, dict[str, Any]]] = []
        self.streams: list[Stream] = []
        self._scripts: dict[str, list[Any]] = {}
        self._changed = asyncio.Condition()

    async def start(self) -> GrpcEngine:
        self._server = grpc.aio.server()
        handlers = {method.name: self._unary(method.name) for method in METHODS.values()}
        handlers["StreamJobs"] = grpc.stream_stream_rpc_method_handler(
            self._stream, pb.StreamJobsRequest.FromString, lambda answer: answer.SerializeToString()
        )
        self._server.add_generic_rpc_handlers([grpc.method_handlers_generic_handler(SERVICE, handlers)])
        port = self._server.add_insecure_port("127.0.0.1:0")
        await self._server.start()
        self.url = f"grpc://127.0.0.1:{port}"
        return self

    async def stop(self) -> None:
        await self._server.stop(None)

    def on(self, rpc: str, *answers: Any) -> None:
        """Each answer is a message or a function of (request, context); the last one stays."""
        self._scripts[rpc] = list(answers)

    async def until(self, condition: Callable[[], bool]) -> None:
        async with self._changed:
            await asyncio.wait_for(self._changed.wait_for(condition), 20)

    def asked(self, rpc: str) -> list[Any]:
        return [request for name, request, _ in self.requests if name == rpc]

    async def ring(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    def _unary(self, rpc: str) -> Any:
        request_of = {
            "Heartbeat": pb.HeartbeatRequest,
            "ExchangeJobs": pb.ExchangeJobsRequest,
        }.get(rpc) or getattr(pb, f"{rpc}Request")

        async def serve(request: Any, context: Any) -> Any:
            self.requests.append((rpc, request, dict(context.invocation_metadata())))
            await self.ring()
            script = self._scripts.get(rpc, [])
            answer = script.pop(0) if len(script) > 1 else (script[0] if script else getattr(pb, f"{rpc}Response")())
            answer = answer(request, context) if callable(answer) and not hasattr(answer, "DESCRIPTOR") else answer
            return await answer if asyncio.iscoroutine(answer) else answer

        return grpc.unary_unary_rpc_method_handler(
            serve, request_of.FromString, lambda answer: answer.SerializeToString()
        )

    async def _stream(self, requests: Any, context: Any) -> Any:
        stream = Stream(self, dict(context.invocation_metadata()))
        self.streams.append(stream)
        reading = asyncio.ensure_future(stream.read(requests))
        try:
            while (answer := await stream.down.get()) is not None:
                if isinstance(answer, Refusing):
                    await answer(None, context)
                yield answer
        finally:
            reading.cancel()


class Stream:
    """One StreamJobs call, from the engine's side."""

    def __init__(self, engine: GrpcEngine, metadata: dict[str, Any]) -> None:
        self._engine = engine
        self.metadata = metadata
        self.received: list[Any] = []
        self.down: asyncio.Queue[Any] = asyncio.Queue()

    async def read(self, requests: Any) -> None:
        async for request in requests:
            self.received.append(request)
            await self._engine.ring()

    def push(self, *jobs: pb.Job) -> None:
        self.down.put_nowait(pb.StreamJobsResponse(jobs=jobs))

    def end(self) -> None:
        self.down.put_nowait(None)

    @property
    def credit(self) -> int:
        return sum(request.credit or request.open.credit for request in self.received)

    @property
    def started(self) -> list[str]:
        return [job.job_id for request in self.received for job in request.started.jobs]


class Refusing:
    """An answer that is a refusal, with google.rpc details."""

    def __init__(self, code: grpc.StatusCode, message: str = "no", *, details: tuple[Any, ...] = ()) -> None:
        self._code, self._message, self._details = code, message, details

    async def __call__(self, _: Any, context: Any) -> None:
        packed = []
        for detail in self._details:
            holder = Packed()
            holder.Pack(detail)
            packed.append(holder)
        status = Status(code=self._code.value[0], message=self._message, details=packed).SerializeToString()
        metadata = (("grpc-status-details-bin", status), ("x-request-id", "request-1")) if packed else ()
        await context.abort(self._code, self._message, metadata)


def error_info(reason: str) -> ErrorInfo:
    return ErrorInfo(reason=reason, domain="millrace")


def retry_info(seconds: float) -> RetryInfo:
    return RetryInfo(retry_delay=Duration(seconds=int(seconds), nanos=int((seconds % 1) * 1e9)))


def bad_request(path: str, message: str, hint: str) -> BadRequest:
    violation = BadRequest.FieldViolation(field=path, description=f"{message}: {hint}")
    violation.localized_message.message = message
    return BadRequest(field_violations=[violation])
