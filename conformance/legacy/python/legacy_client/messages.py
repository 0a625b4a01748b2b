"""Messages of the old stubs as the JSON of the control protocol, and definitions the other way."""

from __future__ import annotations

from typing import Any

import engine_pb2 as pb
from google.protobuf.json_format import MessageToDict, ParseDict
from google.protobuf.message import Message

Json = dict[str, Any]

#: The enums by the field that holds them, with the prefix that the JSON of REST does not have.
_PREFIXES = ("INSTANCE_STATUS_", "STEP_EXECUTION_STATUS_", "STEP_TYPE_", "BOUNDARY_EVENT_TYPE_")
_ENUMS = {"status", "type", "stepType"}
_OWN = {"variables", "metadata", "transformations", "conditionalNextSteps"}


def plain_json(message: Message) -> Json:
    turned: Json = _turned(MessageToDict(message))
    return turned


def instance_json(instance: Message) -> Json:
    return {"currentStepIds": [], "variables": {}, **plain_json(instance)}


def job_json(job: Message) -> Json:
    empty = {"instanceId": "", "stepId": "", "stepExecutionId": "", "retriesRemaining": 0, "variables": {}}
    return {**empty, **plain_json(job)}


def definition_json(definition: Message) -> Json:
    return plain_json(definition)


def definition_message(definition: Json) -> Any:
    steps = [_step(step) for step in definition.get("steps", [])]
    given = {name: value for name, value in definition.items() if name not in ("uploadedAt", "steps")}
    return ParseDict({**given, "steps": steps}, pb.WorkflowDefinition())


def _step(step: Json) -> Json:
    events = [{**event, "type": f"BOUNDARY_EVENT_TYPE_{event['type']}"} for event in step.get("boundaryEvents", [])]
    typed = {**step, "type": f"STEP_TYPE_{step['type']}"}
    return {**typed, "boundaryEvents": events} if events else typed


def _turned(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _whole(inner) if key in _OWN else _turned(inner, key) for key, inner in value.items()}
    if isinstance(value, list):
        return [_turned(item, name) for item in value]
    if name in _ENUMS and isinstance(value, str):
        return _without_prefix(value)
    if name.endswith("At") and isinstance(value, str):
        return value if "." in value else value.replace("Z", ".000Z")
    return value


def _without_prefix(value: str) -> str:
    return next((value[len(prefix) :] for prefix in _PREFIXES if value.startswith(prefix)), value)


def _whole(value: Any) -> Any:
    """A Struct has doubles only; whole ones are whole numbers again."""
    if isinstance(value, dict):
        return {key: _whole(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
