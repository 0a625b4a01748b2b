"""What a call can raise, as a small tree.

MillraceError
├── EngineError           the engine answered and refused; one subclass for each code that callers tell apart
│   ├── BadRequestError, UnauthenticatedError, ForbiddenError, NotFoundError, RateLimitedError, UnavailableError, …
│   └── ConflictError
│       └── LeaseLostError
├── TransportError        no answer arrived, or not an engine's
├── ServerTooOldError     the engine cannot do what this SDK asks
└── UsageError            refused by the SDK itself; nothing was sent
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from millrace._generated.catalogue import CATALOGUE

#: 502 and 504 come from a proxy in front of the engine, which never answered.
_RETRYABLE_STATUS = frozenset({429, 502, 503, 504})

TransportFailure = Literal["unreachable", "interrupted", "timeout", "malformed"]


class MillraceError(Exception):
    """Everything this SDK raises for a call."""

    #: True when the same call may succeed later, unchanged.
    retryable: bool = False


@dataclass(frozen=True)
class Refusal:
    """What an engine says when it refuses."""

    code: str
    message: str
    status: int = 0
    request_id: str | None = None
    details: Sequence[Mapping[str, Any]] = field(default_factory=tuple)
    retry_after: float | None = None


class EngineError(MillraceError):
    """The engine answered and refused."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        #: Of contracts/errors.yaml, or `http-<status>` when something before the engine answered.
        self.code = refusal.code
        self.message = refusal.message
        #: As on REST, also over gRPC.
        self.status = refusal.status
        self.request_id = refusal.request_id
        #: Each violation with its `path` and `message`.
        self.details = refusal.details
        #: Seconds that the engine asks to wait.
        self.retry_after = refusal.retry_after
        self.retryable = refusal.status in _RETRYABLE_STATUS
        #: What to do about it; empty where the message says enough.
        self.advice = ""

    def __str__(self) -> str:
        lines = [f"{self.message} ({self.code})" + (f". {self.advice}." if self.advice else "")]
        lines += [f"  {found.get('path', '')}: {found.get('message', '')}" for found in self.details]
        return "\n".join(lines)


class BadRequestError(EngineError):
    """bad-request, unprocessable, unsupported-format, payload-too-large."""


class UnauthenticatedError(EngineError):
    """Give the client an `api_key`; `millrace keys create` makes one."""


class ForbiddenError(EngineError):
    """The key's scopes do not cover the call, or the engine is not to be called by this host name."""


class NotFoundError(EngineError):
    """There is no such thing."""


class ConflictError(EngineError):
    """The state of the thing does not allow the call."""


class LeaseLostError(ConflictError):
    """The lease of the job ended: stop working on it."""


class PollingDisabledError(EngineError):
    """Jobs of this deployment are dispatched through Kafka."""


class IdempotencyMismatchError(EngineError):
    """The key was used before with other content."""


class RateLimitedError(EngineError):
    """Too many calls: wait for `retry_after`."""


class BackpressureError(EngineError):
    """The queue is full: wait for `retry_after`."""


class UnavailableError(EngineError):
    """The engine cannot take calls just now."""


class InternalEngineError(EngineError):
    """A fault of the engine's; report it with `request_id`."""


_BY_CODE: dict[str, type[EngineError]] = {
    "bad-request": BadRequestError,
    "unprocessable": BadRequestError,
    "unsupported-format": BadRequestError,
    "payload-too-large": BadRequestError,
    "unauthenticated": UnauthenticatedError,
    "forbidden": ForbiddenError,
    "misdirected-request": ForbiddenError,
    "not-found": NotFoundError,
    "conflict": ConflictError,
    "lease-lost": LeaseLostError,
    "polling-disabled": PollingDisabledError,
    "idempotency-mismatch": IdempotencyMismatchError,
    "rate-limited": RateLimitedError,
    "backpressure": BackpressureError,
    "unavailable": UnavailableError,
    "internal-error": InternalEngineError,
}


def engine_error(refusal: Refusal) -> EngineError:
    """The error of a refusal, of the class that its code has."""
    return _BY_CODE.get(refusal.code, EngineError)(refusal)


def status_of(code: str) -> int:
    """The HTTP status of a code of the catalogue; 0 for one that this SDK does not know."""
    entry = CATALOGUE.get(code)
    return entry.status if entry else 0


class TransportError(MillraceError):
    """The engine could not be reached, or its answer did not arrive.

    `kind` is `unreachable` (the request was never sent), `interrupted` or `timeout` (the engine may or may not have
    acted), or `malformed` (what answered is no engine).
    """

    retryable = True

    def __init__(self, kind: TransportFailure, message: str) -> None:
        super().__init__(message)
        self.kind: TransportFailure = kind


class ServerTooOldError(MillraceError):
    """The engine is older than this SDK needs. Upgrade the engine, or install the SDK of its version."""


class UsageError(MillraceError, ValueError):
    """The SDK refused the call itself: nothing was sent."""
