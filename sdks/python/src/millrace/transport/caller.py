"""Makes a call: on one of several addresses, within its deadline, again where that is safe."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from millrace.backoff import backoff
from millrace.errors import EngineError, MillraceError, TransportError
from millrace.transport.call import Call, Sent, Transport
from millrace.transport.job_trace import job_trace
from millrace.version import __version__

#: By the W3C's names: `traceparent` and `tracestate` of the code that calls.
TraceContext = Callable[[], Mapping[str, str] | None]

USER_AGENT = f"millrace-python/{__version__}"


@dataclass(frozen=True)
class CallerSettings:
    api_key: str | None = None
    timeout: float = 60.0
    attempt_timeout: float = 30.0
    max_attempts: int = 5
    trace_context: TraceContext = job_trace
    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Any] = asyncio.sleep


class Caller:
    """Speaks to engines on one database; stays with an address as long as it answers."""

    def __init__(self, transports: Sequence[Transport], settings: CallerSettings) -> None:
        self._transports = transports
        self._settings = settings
        self._current = 0

    async def call(self, call: Call) -> Any:
        headers = self.headers(call)
        deadline = self._settings.now() + self._timeout(call)
        for attempt in range(1, self._max_attempts(call) + 1):
            transport = self._transports[self._current]
            try:
                return await transport.send(call, Sent(headers, self._attempt_timeout(call, deadline)))
            except MillraceError as error:
                await self._prepare_repeat(call, error, attempt, deadline, transport)
        raise AssertionError("the last attempt returns or raises")

    @property
    def address(self) -> str:
        """The one that is asked next."""
        return self._transports[self._current].address

    @property
    def transport(self) -> Transport:
        return self._transports[self._current]

    def leave(self, transport: Transport) -> None:
        """This address failed: the next call goes to the one after it, unless another call has moved on already."""
        if self._transports[self._current] is transport:
            self._current = (self._current + 1) % len(self._transports)

    async def close(self) -> None:
        for transport in self._transports:
            await transport.close()

    async def _prepare_repeat(
        self, call: Call, error: MillraceError, attempt: int, deadline: float, transport: Transport
    ) -> None:
        """Raises the error unless the call may be made again; then moves on and waits."""
        elsewhere = self._moves_on(error, transport)
        if attempt >= self._max_attempts(call) or not _may_repeat(call, error):
            raise error
        pause = 0.0 if elsewhere and attempt < len(self._transports) else _pause(error, attempt)
        if self._settings.now() + pause >= deadline:
            raise error
        if pause > 0:
            await self._settings.sleep(pause)

    def _moves_on(self, error: MillraceError, transport: Transport) -> bool:
        """True when the next attempt asks another address: this one is silent, or goes down."""
        fails_over = isinstance(error, TransportError) or (
            isinstance(error, EngineError) and error.code == "unavailable"
        )
        if not fails_over or len(self._transports) == 1:
            return False
        self.leave(transport)
        return True

    def _timeout(self, call: Call) -> float:
        return call.timeout if call.timeout is not None else self._settings.timeout + call.wait

    def _attempt_timeout(self, call: Call, deadline: float) -> float:
        left = deadline - self._settings.now()
        return max(0.001, min(left, self._settings.attempt_timeout + call.wait))

    def _max_attempts(self, call: Call) -> int:
        return max(1, call.max_attempts or self._settings.max_attempts)

    def headers(self, call: Call) -> dict[str, str]:
        headers = {"user-agent": USER_AGENT}
        if self._settings.api_key:
            headers["authorization"] = f"Bearer {self._settings.api_key}"
        if call.idempotency_key:
            headers["idempotency-key"] = call.idempotency_key
        if not call.untraced:
            headers.update(self._settings.trace_context() or {})
        return headers


def _may_repeat(call: Call, error: MillraceError) -> bool:
    if isinstance(error, TransportError):
        return call.repeat == "always" or error.kind == "unreachable"
    return call.repeat == "always" and error.retryable


def _pause(error: MillraceError, attempt: int) -> float:
    asked = (error.retry_after or 0.0) if isinstance(error, EngineError) else 0.0
    return max(asked, backoff(attempt))
