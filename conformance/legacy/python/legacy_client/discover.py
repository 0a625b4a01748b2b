"""What a tool finds that has no stubs of the contract: services and methods by reflection, health, a call by them."""

from __future__ import annotations

from typing import Any

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.json_format import ParseDict
from google.protobuf.message_factory import GetMessageClass
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

_SERVICE = "workflow.v1.WorkflowEngine"
_SHORT_DEADLINE = 0.05
#: Of a job type that has no jobs.
_LONG_POLL = {"workerId": "discoverer", "jobTypes": ["discovered-by-nobody"], "waitSeconds": 20}


def discover(channel: grpc.Channel) -> dict[str, Any]:
    reflection = ProtoReflectionDescriptorDatabase(channel)
    pool: Any = DescriptorPool(reflection)
    service = pool.FindServiceByName(_SERVICE)
    health: Any = health_pb2_grpc.HealthStub(channel)
    status = health.Check(health_pb2.HealthCheckRequest(service=_SERVICE)).status
    return {
        "services": list(reflection.get_services()),
        "methods": [method.name for method in service.methods],
        "health": health_pb2.HealthCheckResponse.ServingStatus.Name(status),
        "deadline": _end_of_poll(channel, service.FindMethodByName("PollJobs")),
    }


def _end_of_poll(channel: grpc.Channel, poll: Any) -> str:
    """The status of a long poll that goes on for longer than its caller waits."""
    call = channel.unary_unary(
        f"/{_SERVICE}/{poll.name}",
        request_serializer=lambda request: request.SerializeToString(),
        response_deserializer=GetMessageClass(poll.output_type).FromString,
    )
    try:
        call(ParseDict(_LONG_POLL, GetMessageClass(poll.input_type)()), timeout=_SHORT_DEADLINE)
    except grpc.RpcError as error:
        return str(error.code().name)
    return "OK"
