"""A parser of JobDispatchEvent written by hand, as an existing client has one: it skips numbers from 100 on."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

_TEXTS = {2: "dedup_id", 10: "job_id", 11: "instance_id", 12: "step_execution_id", 13: "job_type"}
_FIXED = {1: 8, 5: 4}


@dataclass
class DispatchEvent:
    dedup_id: str = ""
    job_id: str = ""
    instance_id: str = ""
    step_execution_id: str = ""
    job_type: str = ""
    retries_remaining: int = 0
    variables: Json = field(default_factory=dict)

    def job(self) -> Json:
        """There is no step in it: the number of that field is above 100."""
        return {
            "id": self.job_id,
            "jobType": self.job_type,
            "instanceId": self.instance_id,
            "stepId": "",
            "stepExecutionId": self.step_execution_id,
            "retriesRemaining": self.retries_remaining,
            "variables": self.variables,
        }


def parse_event(data: bytes) -> DispatchEvent:
    """Raises ValueError where it is no such message."""
    event, at = DispatchEvent(), 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, at = _varint(data, at)
            if number == 20:
                event.retries_remaining = value
        elif kind == 2:
            content, at = _bytes(data, at)
            _set(event, number, content)
        elif kind in _FIXED:
            at += _FIXED[kind]
        else:
            raise ValueError(f"a field of wire type {kind}")
    if not event.job_id or at > len(data):
        raise ValueError("no dispatch of a job")
    return event


def _set(event: DispatchEvent, number: int, content: bytes) -> None:
    if number in _TEXTS:
        setattr(event, _TEXTS[number], content.decode())
    elif number == 30:
        event.variables = json.loads(content)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("a number without an end")
        value |= (data[at] & 0x7F) << shift
        at += 1
        if data[at - 1] < 0x80:
            return value, at
        shift += 7


def _bytes(data: bytes, at: int) -> tuple[bytes, int]:
    length, at = _varint(data, at)
    if at + length > len(data):
        raise ValueError("bytes that are not there")
    return data[at : at + length], at + length
