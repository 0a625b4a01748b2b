"""A definition as a message and back. Conditions and transformations travel as lists, because a map has no order."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from millrace._generated import engine_pb2 as pb
from millrace.transport.grpc_fields import Field, Shape, enum, many, one, plain, struct, texts, time
from millrace.transport.struct_values import from_value, to_value


def _ordered_conditions(json: str, message: str) -> Field:
    def encode(given: Mapping[str, str]) -> list[pb.ConditionalNextStep]:
        return [pb.ConditionalNextStep(condition=name, next_step=step) for name, step in given.items()]

    return Field(json, message, encode, lambda items: {item.condition: item.next_step for item in items})


def _ordered_transformations(json: str, message: str) -> Field:
    def encode(given: Mapping[str, Any]) -> list[pb.NamedTransformation]:
        return [pb.NamedTransformation(name=name, value=to_value(made)) for name, made in given.items()]

    return Field(json, message, encode, lambda items: {item.name: from_value(item.value) for item in items})


_BOUNDARY_EVENT = Shape(
    pb.BoundaryEvent,
    enum("type", "type", pb.BoundaryEventType, "BOUNDARY_EVENT_TYPE_"),
    plain("duration", "duration"),
    plain("interrupting", "interrupting"),
    plain("targetStepId", "target_step_id"),
)

_RETRY = Shape(
    pb.RetryPolicy,
    plain("retries", "retries", always=True),
    plain("base", "base"),
    plain("factor", "factor"),
    plain("cap", "cap"),
    plain("jitter", "jitter"),
)

_TIMEOUTS = Shape(pb.StepTimeouts, plain("run", "run"), plain("queue", "queue"), plain("total", "total"))

STEP = Shape(
    pb.WorkflowStep,
    plain("id", "id"),
    plain("name", "name"),
    enum("type", "type", pb.StepType, "STEP_TYPE_"),
    plain("description", "description"),
    plain("nextStep", "next_step"),
    texts("parallelNextSteps", "parallel_next_steps"),
    plain("joinStep", "join_step"),
    _ordered_conditions("conditionalNextSteps", "ordered_conditional_next_steps"),
    _ordered_transformations("transformations", "ordered_transformations"),
    plain("jobType", "job_type"),
    plain("delegateClass", "delegate_class"),
    plain("retryCount", "retry_count"),
    many("boundaryEvents", "boundary_events", _BOUNDARY_EVENT),
    one("retry", "retry", _RETRY),
    one("timeout", "timeout", _TIMEOUTS),
    plain("onError", "on_error"),
    plain("priority", "priority"),
    plain("downstream", "downstream"),
    plain("assignee", "assignee"),
    plain("assigneeGroup", "assignee_group"),
    plain("dueIn", "due_in"),
    plain("keepEarly", "keep_early"),
    plain("duration", "duration"),
    struct("form", "form"),
    struct("outputSchema", "output_schema"),
)

DEFINITION = Shape(
    pb.WorkflowDefinition,
    plain("id", "id"),
    plain("version", "version"),
    plain("name", "name"),
    plain("description", "description"),
    many("steps", "steps", STEP),
    plain("autoStartNextWorkflow", "auto_start_next_workflow"),
    plain("nextWorkflowId", "next_workflow_id"),
    struct("metadata", "metadata"),
    struct("inputSchema", "input_schema"),
    plain("priority", "priority"),
    plain("execution", "execution"),
    plain("recover", "recover"),
    plain("deadline", "deadline"),
    plain("retain", "retain"),
    plain("events", "events"),
    time("uploadedAt", "uploaded_at"),
)
