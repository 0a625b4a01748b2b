"""A message of the topic as the job that it dispatches."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Protocol

from google.protobuf.message import DecodeError

from millrace._generated import engine_pb2 as pb
from millrace.types import Job
from millrace.wire.codec import decode

_SCHEMA_VERSION = 1


class Undecodable(Exception):
    """A message that is no dispatch, or one that this version does not know."""


class Message(Protocol):
    """What is read of a message, by the names that the library has for it."""

    def value(self) -> bytes | None: ...

    def key(self) -> bytes | None: ...

    def topic(self) -> str | None: ...

    def partition(self) -> int | None: ...

    def offset(self) -> int | None: ...


@dataclass(frozen=True)
class Dispatch:
    dedup_id: str
    job: Job
    #: They were too large for the message, and stayed with the engine.
    lacks_variables: bool = False


def read_dispatch(value: bytes | None) -> Dispatch:
    event = pb.JobDispatchEvent()
    try:
        event.ParseFromString(value or b"")
    except DecodeError as error:
        raise Undecodable(f"no JobDispatchEvent: {error}") from error
    if event.schema_version != _SCHEMA_VERSION:
        raise Undecodable(f"of schema version {event.schema_version}, known is {_SCHEMA_VERSION}")
    if not (event.dedup_id and event.job_id and event.job_type):
        raise Undecodable("without dedup_id, job_id or job_type")
    return Dispatch(event.dedup_id, decode(Job, _job(event)), event.payload_omitted)


def _job(event: pb.JobDispatchEvent) -> dict[str, Any]:
    """In the words of REST; what an engine that knows no more than the old fields leaves out is empty."""
    optional = {"businessKey": event.business_key, "traceparent": event.traceparent, "tracestate": event.tracestate}
    return {
        "id": event.job_id,
        "jobType": event.job_type,
        "instanceId": event.instance_id,
        "stepId": event.step_id,
        "stepExecutionId": event.step_execution_id,
        "retriesRemaining": event.retries_remaining,
        "variables": _variables(event.job_payload),
        "lockExpiresAt": "",
        "leaseToken": event.lease_token,
        "attempt": event.attempt or 1,
        "priority": event.priority or "normal",
        "definitionId": event.definition_id,
        "idempotencyKey": event.idempotency_key or event.job_id,
        **{name: value for name, value in optional.items() if value},
        **({"timeoutSeconds": event.timeout_seconds} if event.timeout_seconds else {}),
    }


def _variables(payload: bytes) -> dict[str, Any]:
    try:
        variables = json.loads(payload or b"{}")
    except ValueError as error:
        raise Undecodable(f"its payload is not JSON: {error}") from error
    if not isinstance(variables, dict):
        raise Undecodable("its payload is no JSON object")
    return variables
