"""What a tool finds that has no stubs of the contract: services and methods by reflection, and health."""

from __future__ import annotations

from typing import Any

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

_SERVICE = "workflow.v1.WorkflowEngine"
_SHORT_DEADLINE = 0.05


def discover(channel: grpc.Channel) -> dict[str, Any]:
    reflection = ProtoReflectionDescriptorDatabase(channel)
    pool: Any = DescriptorPool(reflection)
    health: Any = health_pb2_grpc.HealthStub(channel)
    status = health.Check(health_pb2.HealthCheckRequest(service=_SERVICE)).status
    return {
        "services": list(reflection.get_services()),
        "methods": [method.name for method in pool.FindServiceByName(_SERVICE).methods],
        "health": health_pb2.HealthCheckResponse.ServingStatus.Name(status),
        "deadline": _end_of_watch(health),
    }


def _end_of_watch(health: Any) -> str:
    """The status of a stream that goes on for longer than its caller waits."""
    watch = health.Watch(health_pb2.HealthCheckRequest(), timeout=_SHORT_DEADLINE)
    try:
        for _ in watch:
            pass
    except grpc.RpcError:
        pass
    return str(watch.code().name)
