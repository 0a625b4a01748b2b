"""Which function runs which job type. Registering is a map insert and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from millrace.errors import UsageError
from millrace.worker.handlers import Handler


class HandlerRegistry:
    """Which function runs which job type."""

    def __init__(self, handlers: Mapping[str, Handler] | None = None) -> None:
        self._handlers: dict[str, Handler] = {}
        for job_type, handler in (handlers or {}).items():
            self.register(job_type, handler)

    def register(self, job_type: str, handler: Handler) -> HandlerRegistry:
        if not isinstance(job_type, str) or not job_type.strip():
            raise UsageError("a job type must not be empty")
        if not callable(handler):
            raise UsageError(f"the handler of {job_type!r} cannot be called")
        if job_type in self._handlers:
            raise UsageError(f"{job_type!r} has a handler already")
        self._handlers[job_type] = handler
        return self

    def handler(self, job_type: str) -> Callable[[Handler], Handler]:
        """As a decorator: `@registry.handler("charge-card")`."""

        def keep(handler: Handler) -> Handler:
            self.register(job_type, handler)
            return handler

        return keep

    def job_types(self) -> list[str]:
        return list(self._handlers)

    def find(self, job_type: str) -> Handler | None:
        return self._handlers.get(job_type)
