"""One call as every transport understands it: an operation of the REST contract by its id, and what it is given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypedDict

from millrace.errors import UsageError

#: `always`: once or twice has the same effect; `unsent`: only when it surely never left.
Repeat = Literal["always", "unsent"]


class CallOptions(TypedDict, total=False):
    """What every call takes besides its own arguments."""

    #: Seconds for the whole call, repeats included.
    timeout: float | None
    #: 1: send once, whatever happens.
    max_attempts: int | None


class ChangeOptions(CallOptions, total=False):
    """What every call that changes something takes."""

    #: The same key and content have one effect, for 24 hours. Made by the SDK when absent.
    idempotency_key: str | None


@dataclass(frozen=True)
class Call:
    operation: str
    path: Mapping[str, str | int] = field(default_factory=dict)
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    repeat: Repeat = "always"
    idempotency_key: str | None = None
    #: Seconds that the engine may hold the answer on purpose.
    wait: float = 0
    #: A worker asks or reports for itself: in no trace.
    untraced: bool = False
    timeout: float | None = None
    max_attempts: int | None = None


@dataclass(frozen=True)
class Sent:
    """What one attempt takes along."""

    headers: Mapping[str, str]
    timeout: float


class Transport(Protocol):
    """One address of an engine."""

    @property
    def address(self) -> str: ...

    async def send(self, call: Call, sent: Sent) -> Any:
        """The JSON of the answer, None where there is none. Raises EngineError or TransportError."""

    async def close(self) -> None: ...


_KNOWN_OPTIONS = frozenset(ChangeOptions.__annotations__) | frozenset(CallOptions.__annotations__)


def checked_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of a call; a misspelt one is refused here, before it is silently ignored."""
    unknown = sorted(set(options) - _KNOWN_OPTIONS)
    if unknown:
        raise UsageError(
            f"unknown argument {', '.join(unknown)}: it is none of this call's own (help() of the method has them), "
            f"nor of those that every call takes: {', '.join(sorted(_KNOWN_OPTIONS))}"
        )
    return dict(options)
