"""The operations that the gRPC service has: each with its method, how it is asked and how its answer is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from millrace._generated import engine_pb2 as pb
from millrace.transport.call import Call
from millrace.transport.grpc_definition import DEFINITION
from millrace.transport.grpc_fields import Field, Shape, enum, many, one, plain, struct, texts, time
from millrace.transport.grpc_shapes import (
    COMPLETED_REPORT,
    FAILED_REPORT,
    INSTANCE,
    JOB,
    POLL_OPTIONS,
    REPORT_RESULT,
    STEP_EXECUTION,
)

Given = Mapping[str, Any]


@dataclass(frozen=True)
class Method:
    name: str
    request: Shape
    response: Any
    #: The JSON of the answer, None where there is none; the call is there for what the answer does not repeat.
    read: Callable[[Any, Call], Any]
    #: The request in JSON: path, query and body of the call together.
    given: Callable[[Call], Given] = lambda call: {**call.path, **call.query, **(call.body or {})}

    def encode(self, call: Call) -> Any:
        return self.request.encode(self.given(call))


def _instance(answer: Any, _: Call) -> Any:
    return INSTANCE.decode(answer.instance)


def _nothing(_: Any, __: Call) -> None:
    return None


def _items(field: str, shape: Shape) -> Callable[[Any, Call], Any]:
    return lambda answer, _: {"items": [shape.decode(item) for item in getattr(answer, field)]}


def _read_upload(answer: Any, call: Call) -> Any:
    read = _UPLOADED.decode(answer)
    return {**read, "name": call.body["name"]} if "name" in (call.body or {}) else read


def _read_definitions(answer: Any, call: Call) -> Any:
    names = ("id", "version", "name", "description", "uploadedAt")
    found = (DEFINITION.decode(item) for item in answer.definitions)
    items = [{name: item[name] for name in names if name in item} for item in found]
    return {"items": items, "total": answer.total, "page": 0, "pageSize": 20, **_paging(call)}


def _paging(call: Call) -> Given:
    return {name: call.query[name] for name in ("page", "pageSize") if name in call.query}


def _with_step(step_name: str, variables_name: str) -> Callable[[Call], Given]:
    """The step under the name that the message has for it, and the variables under theirs."""

    def given(call: Call) -> Given:
        path, body = dict(call.path), dict(call.body or {})
        path[step_name] = path.pop("stepId")
        if "variables" in body:
            body[variables_name] = body.pop("variables")
        return {**path, **body}

    return given


def _signal(call: Call) -> Given:
    return {"instanceId": call.path["instanceId"], "waitStepId": call.path["stepId"], "variables": call.body}


_UPLOADED = Shape(
    pb.UploadDefinitionResponse,
    plain("id", "id", always=True),
    plain("version", "version", always=True),
    time("uploadedAt", "uploaded_at"),
    texts("warnings", "warnings"),
)
_INSTANCE_PAGE = Shape(
    pb.ListInstancesResponse,
    many("items", "instances", INSTANCE, always=True),
    plain("total", "total", always=True),
    plain("totalIsExact", "total_is_exact", always=True),
    plain("nextCursor", "next_cursor"),
)
_JOBS = Shape(pb.PollJobsResponse, many("jobs", "jobs", JOB, always=True))
_EXCHANGED = Shape(
    pb.ExchangeJobsResponse,
    many("results", "results", REPORT_RESULT, always=True),
    many("jobs", "jobs", JOB, always=True),
)
_EXTENDED = Shape(pb.HeartbeatResponse, time("lockExpiresAt", "lock_expires_at"), struct("variables", "variables"))

_ID = plain("id", "id")
_BY_ID: Callable[[Call], Given] = lambda call: {"id": call.path["instanceId"], **(call.body or {})}  # noqa: E731
_DEFINITION_OF: Callable[[Call], Given] = lambda call: {"definition": call.body}  # noqa: E731
_DEFINITION_ID = plain("definitionId", "id")
_STATUS = enum("status", "status", pb.InstanceStatus, "INSTANCE_STATUS_")
_WORKER: tuple[Field, ...] = (
    plain("jobId", "job_id"),
    plain("workerId", "worker_id"),
    plain("leaseToken", "lease_token"),
)
_VARIABLES = struct("variables", "variables")
_INSTANCE_ID = plain("instanceId", "instance_id")

METHODS: dict[str, Method] = {
    "uploadDefinition": Method(
        "UploadDefinition",
        Shape(pb.UploadDefinitionRequest, one("definition", "definition", DEFINITION)),
        pb.UploadDefinitionResponse,
        _read_upload,
        _DEFINITION_OF,
    ),
    "getDefinition": Method(
        "GetDefinition",
        Shape(pb.GetDefinitionRequest, _DEFINITION_ID),
        pb.GetDefinitionResponse,
        lambda answer, _: DEFINITION.decode(answer.definition),
    ),
    "getDefinitionVersion": Method(
        "GetDefinition",
        Shape(pb.GetDefinitionRequest, _DEFINITION_ID, plain("version", "version")),
        pb.GetDefinitionResponse,
        lambda answer, _: DEFINITION.decode(answer.definition),
    ),
    "listDefinitions": Method(
        "ListDefinitions",
        Shape(
            pb.ListDefinitionsRequest,
            plain("keyword", "keyword"),
            plain("page", "page"),
            plain("pageSize", "page_size"),
        ),
        pb.ListDefinitionsResponse,
        _read_definitions,
    ),
    "startInstance": Method(
        "StartInstance",
        Shape(
            pb.StartInstanceRequest,
            plain("definitionId", "definition_id"),
            plain("definitionVersion", "definition_version"),
            _VARIABLES,
            plain("businessKey", "business_key"),
            plain("priority", "priority"),
            plain("linkingId", "linking_id"),
        ),
        pb.StartInstanceResponse,
        _instance,
    ),
    "getInstance": Method("GetInstance", Shape(pb.GetInstanceRequest, _ID), pb.GetInstanceResponse, _instance, _BY_ID),
    "listInstances": Method(
        "ListInstances",
        Shape(
            pb.ListInstancesRequest,
            plain("definitionId", "definition_id"),
            _STATUS,
            plain("businessKey", "business_key"),
            plain("page", "page"),
            plain("pageSize", "page_size"),
            plain("version", "version"),
            time("startedAfter", "started_after"),
            time("startedBefore", "started_before"),
            plain("failure", "failure"),
            plain("cursor", "cursor"),
        ),
        pb.ListInstancesResponse,
        lambda answer, _: _INSTANCE_PAGE.decode(answer),
    ),
    "getInstanceHistory": Method(
        "GetInstanceHistory",
        Shape(pb.GetInstanceHistoryRequest, _ID),
        pb.GetInstanceHistoryResponse,
        _items("executions", STEP_EXECUTION),
        _BY_ID,
    ),
    "cancelInstance": Method(
        "CancelInstance",
        Shape(pb.CancelInstanceRequest, _ID, plain("reason", "reason")),
        pb.CancelInstanceResponse,
        _instance,
        _BY_ID,
    ),
    "completeUserTask": Method(
        "CompleteUserTask",
        Shape(
            pb.CompleteUserTaskRequest,
            _INSTANCE_ID,
            plain("userTaskStepId", "user_task_step_id"),
            plain("completedBy", "completed_by"),
            struct("result", "result"),
        ),
        pb.CompleteUserTaskResponse,
        _nothing,
        _with_step("userTaskStepId", "result"),
    ),
    "signalInstance": Method(
        "SignalWait",
        Shape(pb.SignalWaitRequest, _INSTANCE_ID, plain("waitStepId", "wait_step_id"), _VARIABLES),
        pb.SignalWaitResponse,
        _nothing,
        _signal,
    ),
    "retryStep": Method(
        "RetryStep",
        Shape(pb.RetryStepRequest, _INSTANCE_ID, plain("stepId", "step_id"), _VARIABLES),
        pb.RetryStepResponse,
        _instance,
    ),
    "pollJobs": Method(
        "PollJobs",
        Shape(
            pb.PollJobsRequest,
            plain("workerId", "worker_id"),
            texts("jobTypes", "job_types"),
            plain("maxJobs", "max_jobs"),
            plain("leaseSeconds", "lease_seconds"),
            plain("waitSeconds", "wait_seconds"),
        ),
        pb.PollJobsResponse,
        lambda answer, _: _JOBS.decode(answer),
    ),
    "completeJob": Method(
        "CompleteJob",
        Shape(pb.CompleteJobRequest, *_WORKER, struct("variables", "variables_to_set")),
        pb.CompleteJobResponse,
        _nothing,
    ),
    "failJob": Method(
        "FailJob",
        Shape(
            pb.FailJobRequest,
            *_WORKER,
            plain("retryable", "retryable"),
            plain("errorMessage", "error_message"),
            plain("retryAfter", "retry_after"),
            plain("downstreamStatus", "downstream_status"),
            plain("stack", "stack"),
        ),
        pb.FailJobResponse,
        _nothing,
    ),
    "heartbeatJob": Method(
        "Heartbeat",
        Shape(
            pb.HeartbeatRequest,
            *_WORKER,
            plain("leaseSeconds", "lease_seconds"),
            plain("withVariables", "with_variables"),
        ),
        pb.HeartbeatResponse,
        lambda answer, _: _EXTENDED.decode(answer),
    ),
    "exchangeJobs": Method(
        "ExchangeJobs",
        Shape(
            pb.ExchangeJobsRequest,
            plain("workerId", "worker_id"),
            many("completed", "completed", COMPLETED_REPORT),
            many("failed", "failed", FAILED_REPORT),
            one("poll", "poll", POLL_OPTIONS),
        ),
        pb.ExchangeJobsResponse,
        lambda answer, _: _EXCHANGED.decode(answer),
    ),
}
