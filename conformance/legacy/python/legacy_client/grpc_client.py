"""gRPC with stubs of the numbers below 100: plaintext, no metadata, no deadline."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import urlsplit

import engine_pb2 as pb
import engine_pb2_grpc
import grpc
from google.protobuf.struct_pb2 import Struct

from legacy_client.discover import discover
from legacy_client.messages import definition_json, definition_message, instance_json, job_json, plain_json
from legacy_client.refusal import Refused

Json = dict[str, Any]

_CODES = {
    grpc.StatusCode.INVALID_ARGUMENT: "bad-request",
    grpc.StatusCode.NOT_FOUND: "not-found",
    grpc.StatusCode.FAILED_PRECONDITION: "conflict",
    grpc.StatusCode.ALREADY_EXISTS: "conflict",
    grpc.StatusCode.UNAUTHENTICATED: "unauthenticated",
    grpc.StatusCode.PERMISSION_DENIED: "forbidden",
    # The status is all that old clients see: of the codes that share it, the one that a write of variables meets.
    grpc.StatusCode.RESOURCE_EXHAUSTED: "payload-too-large",
    grpc.StatusCode.INTERNAL: "internal-error",
    grpc.StatusCode.UNAVAILABLE: "unavailable",
}


class GrpcClient:
    def __init__(self, url: str) -> None:
        self._channel = grpc.insecure_channel(urlsplit(url).netloc)
        self._stub: Any = engine_pb2_grpc.WorkflowEngineStub(self._channel)

    def upload_definition(self, definition: Json) -> Json:
        request = pb.UploadDefinitionRequest(definition=definition_message(definition))
        return plain_json(_sent(self._stub.UploadDefinition, request))

    def get_definition(self, id: str, version: int | None) -> Json:
        answer = _sent(self._stub.GetDefinition, pb.GetDefinitionRequest(id=id, version=version or 0))
        return definition_json(answer.definition)

    def list_definitions(self, query: Json) -> Json:
        request = pb.ListDefinitionsRequest(
            keyword=query.get("keyword", ""), page=query.get("page", 0), page_size=query.get("pageSize", 100)
        )
        answer = _sent(self._stub.ListDefinitions, request)
        return {"items": [definition_json(one) for one in answer.definitions], "total": answer.total}

    def start_instance(self, request: Json) -> Json:
        message = pb.StartInstanceRequest(
            definition_id=request["definitionId"],
            definition_version=request.get("definitionVersion") or 0,
            variables=_struct(request.get("variables")),
            business_key=request.get("businessKey") or "",
        )
        return instance_json(_sent(self._stub.StartInstance, message).instance)

    def get_instance(self, id: str) -> Json:
        return instance_json(_sent(self._stub.GetInstance, pb.GetInstanceRequest(id=id)).instance)

    def list_instances(self, query: Json) -> Json:
        status = query.get("status")
        request = pb.ListInstancesRequest(
            definition_id=query.get("definitionId", ""),
            status=f"INSTANCE_STATUS_{status}" if status else 0,
            business_key=query.get("businessKey", ""),
            page=query.get("page", 0),
            page_size=query.get("pageSize", 100),
        )
        answer = _sent(self._stub.ListInstances, request)
        return {"items": [instance_json(one) for one in answer.instances], "total": answer.total}

    def get_history(self, id: str) -> Json:
        answer = _sent(self._stub.GetInstanceHistory, pb.GetInstanceHistoryRequest(id=id))
        return {"items": [plain_json(one) for one in answer.executions]}

    def cancel_instance(self, id: str, reason: str | None) -> Json:
        request = pb.CancelInstanceRequest(id=id, reason=reason or "")
        return instance_json(_sent(self._stub.CancelInstance, request).instance)

    def complete_user_task(self, instance_id: str, step_id: str, request: Json) -> None:
        message = pb.CompleteUserTaskRequest(
            instance_id=instance_id,
            user_task_step_id=step_id,
            completed_by=request.get("completedBy", ""),
            result=_struct(request.get("variables")),
        )
        _sent(self._stub.CompleteUserTask, message)

    def signal(self, instance_id: str, step_id: str, variables: Json) -> None:
        request = pb.SignalWaitRequest(instance_id=instance_id, wait_step_id=step_id, variables=_struct(variables))
        _sent(self._stub.SignalWait, request)

    def poll(self, worker_id: str, job_types: list[str], max_jobs: int, lease_seconds: int) -> list[Json]:
        request = pb.PollJobsRequest(
            worker_id=worker_id, job_types=job_types, max_jobs=max_jobs, lease_seconds=lease_seconds
        )
        return [job_json(job) for job in _sent(self._stub.PollJobs, request).jobs]

    def complete(self, job_id: str, worker_id: str, variables: Json) -> None:
        request = pb.CompleteJobRequest(job_id=job_id, worker_id=worker_id, variables_to_set=_struct(variables))
        _sent(self._stub.CompleteJob, request)

    def fail(self, job_id: str, worker_id: str, failure: Json) -> None:
        request = pb.FailJobRequest(
            job_id=job_id,
            worker_id=worker_id,
            retryable=failure.get("retryable", False),
            error_message=failure.get("errorMessage") or "",
        )
        _sent(self._stub.FailJob, request)

    def discover(self) -> Json:
        return discover(self._channel)

    def close(self) -> None:
        self._channel.close()


def _sent(call: Callable[[Any], Any], request: Any) -> Any:
    try:
        return call(request)
    except grpc.RpcError as error:
        code = _CODES.get(error.code(), "internal-error")
        raise Refused(code, error.details(), retryable=code == "unavailable") from error


def _struct(variables: Json | None) -> Struct:
    struct = Struct()
    struct.update(variables or {})
    return struct
