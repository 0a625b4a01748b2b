"""The settings of a runner, their defaults and bounds."""

from __future__ import annotations

import logging
import signal
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypedDict

from millrace.client.engine_client import EngineClient
from millrace.errors import UsageError
from millrace.types import Job
from millrace.worker.clock import ClockOf, LoopClock
from millrace.worker.handlers import Handler
from millrace.worker.metrics import Metrics, SdkMetrics
from millrace.worker.registry import HandlerRegistry

if TYPE_CHECKING:
    from typing_extensions import Required

#: How jobs come and reports go: `exchange` (reports take questions for more along), `poll` (reports one by one), or
#: `stream` (jobs are pushed; gRPC only).
Mode = Literal["exchange", "poll", "stream"]

#: Runs a handler: awaits `run` once and returns what that returns. For tracers, which put a span around it.
AroundJob = Callable[[Job, Callable[[], Awaitable[Any]]], Awaitable[Any]]

_LONGEST_WAIT = 20


class RunnerOptions(TypedDict, total=False):
    """What a runner takes besides its client and handlers; RunnerSettings says what each means, and its default."""

    worker_id: Required[str]
    concurrency: int
    mode: Mode
    lease_seconds: int
    wait_seconds: int
    poll_interval: float | None
    metrics: Metrics
    around_job: AroundJob | None
    stop_on: Sequence[signal.Signals]
    stop_timeout: float
    logger: logging.Logger
    clock: ClockOf


@dataclass(frozen=True, kw_only=True)
class RunnerSettings:
    client: EngineClient
    handlers: HandlerRegistry
    #: Names this worker in leases and audit; one per process.
    worker_id: str
    #: Handlers that may run at once.
    concurrency: int = 64
    mode: Mode = "exchange"
    #: 5 to 3600; extended by heartbeats while a handler runs.
    lease_seconds: int = 30
    #: How long the engine may hold a poll that finds no job; 1 to 30. Not used with `poll_interval`.
    wait_seconds: int = _LONGEST_WAIT
    #: Seconds; polls at a fixed interval while there is no work, instead of letting the engine wait.
    poll_interval: float | None = None
    metrics: Metrics = field(default_factory=SdkMetrics)
    around_job: AroundJob | None = None
    #: Signals that stop the runner.
    stop_on: Sequence[signal.Signals] = ()
    #: Seconds that a stop waits for running handlers.
    stop_timeout: float = 30.0
    logger: logging.Logger = field(default_factory=lambda: logging.getLogger("millrace.worker"))
    #: For tests.
    clock: ClockOf = LoopClock

    @property
    def margin(self) -> float:
        """Handlers are told to stop this many seconds before the lease may end."""
        return self.lease_seconds / 10

    @property
    def longest_wait(self) -> int:
        """A job may have been claimed at any moment of the wait, so a wait must leave a good part of the lease."""
        return min(self.wait_seconds, self.lease_seconds * 2 // 3)


def read_settings(
    client: EngineClient, handlers: HandlerRegistry | Mapping[str, Handler], options: RunnerOptions
) -> RunnerSettings:
    unknown = sorted(set(options) - set(RunnerOptions.__annotations__))
    if unknown:
        raise UsageError(f"a runner has no option {', '.join(unknown)}")
    registry = handlers if isinstance(handlers, HandlerRegistry) else HandlerRegistry(handlers)
    settings = RunnerSettings(client=client, handlers=registry, **options)
    if not settings.worker_id.strip():
        raise UsageError("a runner needs a worker_id")
    _within(5, settings.lease_seconds, 3600, "lease_seconds")
    _within(1, settings.concurrency, 10_000, "concurrency")
    _within(1, settings.wait_seconds, 30, "wait_seconds")
    if settings.poll_interval is not None:
        _within(0.001, settings.poll_interval, 3600, "poll_interval")
    if settings.mode not in ("exchange", "poll", "stream"):
        raise UsageError(f"mode is exchange, poll or stream, got {settings.mode!r}")
    if settings.mode == "stream" and client.wire.grpc is None:
        raise UsageError("mode stream needs a client with an address of gRPC: grpc://… or grpcs://…")
    return settings


def _within(least: float, value: float, most: float, name: str) -> None:
    if not least <= value <= most:
        raise UsageError(f"{name} must be {least:g} to {most:g}, got {value:g}")
