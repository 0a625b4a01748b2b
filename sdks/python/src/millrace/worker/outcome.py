"""The rules of outcome: what a handler returned or raised, as the report that the engine gets."""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from millrace.wire.nesting import MAX_LEVELS, is_nested_deeper
from millrace.worker.handlers import NonRetryableError, RetryLaterError
from millrace.worker.pushback import Pushback, pushback_of

#: A longer message helps no reader, and a report has to fit into a request.
_MAX_MESSAGE = 4_000
#: No engine takes a larger request, whatever its settings.
_MAX_RESULT = 16_777_216
#: The engine keeps no more of a stack.
_MAX_STACK = 8_000


@dataclass(frozen=True)
class Completed:
    variables: Mapping[str, Any] | None = None
    size: int = 0


@dataclass(frozen=True)
class Failed:
    error_message: str
    retryable: bool
    retry_after: float | None = None
    #: The system that was called pushed back, with this HTTP status.
    downstream_status: int | None = None
    #: Where the error was raised.
    stack: str | None = None

    @property
    def size(self) -> int:
        return len(self.error_message.encode()) + len((self.stack or "").encode())


Outcome = Completed | Failed


def outcome_of_return(returned: Any) -> Outcome:
    """Returned variables must be a JSON object; anything else would fail in the same way on every attempt."""
    if returned is None:
        return Completed()
    if not isinstance(returned, Mapping):
        return _failed(
            f"the handler returned a value of type {type(returned).__name__}, not a dict of variables", False
        )
    try:
        variables = dict(returned)
        # Encoded, because half of a surrogate pair has no UTF-8: one of the wires could not carry it.
        text = json.dumps(variables, allow_nan=False, ensure_ascii=False).encode()
    except (TypeError, ValueError, RecursionError) as error:
        return _failed(f"the handler returned variables that are not JSON: {error}", False)
    if len(text) > _MAX_RESULT:
        return _failed(
            f"the handler returned {len(text)} bytes of variables: return a reference to what is large", False
        )
    if is_nested_deeper(variables, MAX_LEVELS):
        return _failed(
            f"the handler returned variables nested deeper than {MAX_LEVELS} levels: return flatter ones", False
        )
    return Completed(variables, len(text))


def outcome_of_error(error: BaseException) -> Outcome:
    pushback = _pushback(error)
    wait = pushback.retry_after if pushback else None
    if isinstance(error, RetryLaterError):
        wait = error.after_seconds
    # An exit is a crash, which another attempt would only repeat.
    retryable = not isinstance(error, NonRetryableError | SystemExit | GeneratorExit)
    status = pushback.downstream_status if pushback else None
    return Failed(_clean(_text(error), _MAX_MESSAGE), retryable, wait, status, _stack(error))


def _stack(error: BaseException) -> str | None:
    """As Python prints it, the call that raised last: of a long one the end is kept, which says most."""
    if error.__traceback__ is None:
        return None
    try:
        text = "".join(traceback.format_exception(error))
    except BaseException:
        return None
    return _clean(text[-_MAX_STACK:], _MAX_STACK)


def _text(error: BaseException) -> str:
    name = type(error).__name__
    try:
        return str(error) or name
    except BaseException as broken:
        return f"{name}, whose text cannot be read: its __str__ raised {type(broken).__name__}"


def _pushback(error: BaseException) -> Pushback | None:
    """None also for an error whose attributes cannot be read."""
    try:
        return pushback_of(error)
    except Exception:
        return None


def no_handler(job_type: str) -> Outcome:
    return _failed(f"no handler registered for {job_type}", False)


def refused_by_engine(message: str) -> Outcome:
    """The engine will not take these variables, now or later."""
    return _failed(f"the engine refused the result: {message}", False)


def unsendable(error: Exception) -> Outcome:
    """The wire cannot carry these variables, now or later."""
    return _failed(f"the handler returned variables that cannot be sent: {error}", False)


def _failed(message: str, retryable: bool) -> Failed:
    return Failed(_clean(message, _MAX_MESSAGE), retryable)


def _clean(text: str, longest: int) -> str:
    """NUL and halves of surrogate pairs cannot be stored, and a failure that is refused for its text would be lost."""
    return text[:longest].encode("utf-8", "replace").decode().replace("\0", "\ufffd")
