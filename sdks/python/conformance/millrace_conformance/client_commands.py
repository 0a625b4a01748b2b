"""The commands that are calls of the client: arguments of the protocol in, JSON of the REST contract out."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import fields
from typing import Any, TypeVar

from millrace import EngineClient
from millrace.types import CompletedReport, FailedReport, PollOptions
from millrace.wire.codec import encode
from millrace.wire.names import name_on_wire

T = TypeVar("T")
With = dict[str, Any]


class ClientCommands:
    def __init__(self) -> None:
        self._engine: EngineClient | None = None

    @property
    def engine(self) -> EngineClient:
        if self._engine is None:
            raise LookupError("no client is open")
        return self._engine

    def commands(self) -> dict[str, Callable[[With], Awaitable[Any]]]:
        calls = {name: self._call(method, *places) for name, (method, *places) in _CALLS.items()}
        return {**calls, "open": self._open, "close": self.close, "exchange": self._exchange}

    async def _open(self, given: With) -> None:
        await self.close({})
        self._engine = EngineClient(given.pop("url"), **_snake(given))

    async def close(self, _: With) -> None:
        engine, self._engine = self._engine, None
        if engine is not None:
            await engine.close()

    def _call(self, method: str, *places: str) -> Callable[[With], Awaitable[Any]]:
        """`places` are the arguments that the method takes by position."""

        async def call(given: With) -> Any:
            positional = [given.pop(place, None) for place in places]
            answer = encode(await getattr(self.engine, method)(*positional, **_snake(given)))
            return _wrapped(method, answer)

        return call

    async def _exchange(self, given: With) -> Any:
        poll = given.get("poll")
        answer = await self.engine.exchange(
            worker_id=given.get("workerId"),
            completed=[_strict(CompletedReport, report) for report in given.get("completed") or []],
            failed=[_strict(FailedReport, report) for report in given.get("failed") or []],
            poll=_strict(PollOptions, poll) if poll else None,
        )
        return encode(answer)


_CALLS: dict[str, tuple[str, ...]] = {
    "uploadDefinition": ("upload_definition", "definition"),
    "getDefinition": ("get_definition", "id"),
    "listDefinitions": ("list_definitions",),
    "startInstance": ("start_instance", "definitionId"),
    "getInstance": ("get_instance", "id"),
    "listInstances": ("list_instances",),
    "getHistory": ("get_history", "id"),
    "getSteps": ("get_steps", "id"),
    "searchInstances": ("search_instances", "prefix"),
    "cancelInstance": ("cancel_instance", "id"),
    "completeUserTask": ("complete_user_task", "instanceId", "stepId"),
    "signal": ("signal", "instanceId", "stepId"),
    "retryStep": ("retry_step", "instanceId", "stepId"),
    "poll": ("poll", "jobTypes"),
    "complete": ("complete", "jobId"),
    "fail": ("fail", "jobId"),
    "heartbeat": ("heartbeat", "jobId"),
    "enqueue": ("enqueue", "type", "payload"),
}


def _wrapped(method: str, answer: Any) -> Any:
    """Lists that the SDK gives bare stand under their name on the wire."""
    names = {"get_history": "items", "search_instances": "items", "poll": "jobs"}
    return {names[method]: answer} if method in names else answer


def _snake(given: With) -> With:
    return {re.sub(r"[A-Z]", lambda letter: "_" + letter[0].lower(), name): value for name, value in given.items()}


def _strict(shape: type[T], given: With) -> T:
    names = {name_on_wire(field): field.name for field in fields(shape)}  # type: ignore[arg-type]
    return shape(**{names.get(name, name): value for name, value in given.items()})
