"""Reads from what a handler raised whether the system it called pushed back: 429, 503, a Retry-After, a timeout."""

from __future__ import annotations

import asyncio
import math
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from millrace.errors import MillraceError

_PUSHED_BACK = frozenset({429, 503})
#: How a gateway says that nothing answered in time.
_GATEWAY_TIMEOUT = 504
_UNAVAILABLE = 503
#: Clients wrap: the reason of a failure is its cause.
_DEEPEST = 5
#: A quota that is full comes back by tomorrow; more than that is a mistake.
_LONGEST_SECONDS = 86_400.0


@dataclass(frozen=True)
class Pushback:
    downstream_status: int
    retry_after: float | None = None


def pushback_of(error: BaseException | None, depth: int = 0) -> Pushback | None:
    """None when the error says nothing of the kind. The outermost error that does is believed."""
    # What the engine itself refuses is no word of the system that the job calls.
    if error is None or isinstance(error, MillraceError) or depth > _DEEPEST:
        return None
    return _read(error) or pushback_of(error.__cause__, depth + 1)


def _read(error: BaseException) -> Pushback | None:
    status, wait = _status(error), _retry_after(error)
    if _is_timeout(error):
        return Pushback(_GATEWAY_TIMEOUT, wait)
    if status in _PUSHED_BACK or wait is not None:
        return Pushback(status or _UNAVAILABLE, wait)
    return None


def _is_timeout(error: BaseException) -> bool:
    """By type, and by name for clients that have a type of their own: httpx, requests, aiohttp."""
    by_name = any("Timeout" in kind.__name__ for kind in type(error).__mro__)
    return by_name or isinstance(error, TimeoutError | asyncio.TimeoutError)


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    holders = (error, response)
    found = (getattr(holder, name, None) for holder in holders for name in ("status", "status_code", "code"))
    return next((value for value in found if isinstance(value, int) and 100 <= value <= 599), None)


def _retry_after(error: BaseException) -> float | None:
    response = getattr(error, "response", None)
    values = (getattr(error, "retry_after", None), _header(error), _header(response))
    seconds = next((found for found in map(_seconds, values) if found is not None), None)
    return None if seconds is None else min(_LONGEST_SECONDS, seconds)


def _header(holder: Any) -> Any:
    read = getattr(getattr(holder, "headers", None), "get", None)
    return (read("retry-after") or read("Retry-After")) if callable(read) else None


def _seconds(value: Any) -> float | None:
    """A number, or a date as HTTP writes it."""
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        return _until(value) if isinstance(value, str) else None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _until(date: str) -> float | None:
    try:
        return max(0.0, math.ceil(parsedate_to_datetime(date).timestamp() - time.time()))
    except (TypeError, ValueError):
        return None
