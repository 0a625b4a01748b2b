"""What to do about a refusal: a wrong key, a wrong port, an engine that does not know the call."""

from __future__ import annotations

from dataclasses import dataclass

from millrace.errors import EngineError, MillraceError, ServerTooOldError
from millrace.version import __version__, is_older

_PORTS = "An engine has REST on 8080, gRPC on 9090 and metrics on 9091 unless told otherwise"
#: How an engine says that it knows no such route; what is not there is refused in other words.
_NO_SUCH_ROUTE = "there is no such route"


@dataclass(frozen=True)
class Refused:
    """The call that was refused."""

    address: str
    #: `POST /v1/jobs/exchange`, or the name of the RPC.
    call: str
    has_key: bool
    #: What the server told of itself; a stranger tells nothing.
    version: str | None


def advised(error: MillraceError, refused: Refused) -> MillraceError:
    """The error, with what to do about it, or another one that says more."""
    if not isinstance(error, EngineError):
        return error
    if error.status == 405 or (error.status == 404 and error.message == _NO_SUCH_ROUTE):
        return _unknown_call(error, refused)
    error.advice = _advice(error, refused)
    return error


def _unknown_call(error: EngineError, refused: Refused) -> MillraceError:
    """The port for metrics refuses a route alike, and is no older than the SDK."""
    if _is_old(refused):
        return _too_old(refused)
    error.advice = f"Is {refused.address} the right address, and the engine new enough? {_PORTS}"
    return error


def _is_old(refused: Refused) -> bool:
    """What refuses an RPC and tells no version is old; a route is refused by strangers too."""
    if refused.version is None:
        return " " not in refused.call
    return is_older(refused.version, __version__)


def _too_old(refused: Refused) -> ServerTooOldError:
    server = f"version {refused.version}" if refused.version else "older than this SDK"
    return ServerTooOldError(
        f"the engine at {refused.address} is {server} and does not know {refused.call}: "
        f"upgrade it to {__version__} or newer, the version of this SDK, or do without this call"
    )


def _advice(error: EngineError, refused: Refused) -> str:
    if error.status == 401:
        return _key_advice(refused.has_key)
    if error.status == 403:
        return "Use a key whose scopes cover this call: `millrace keys list` shows them"
    if error.code.startswith("http-4") and not refused.version:
        return f"This is no answer of an engine: is {refused.address} the right address? {_PORTS}"
    return ""


def _key_advice(has_key: bool) -> str:
    if has_key:
        return "Check the api_key of the client: `millrace keys list` shows which there are"
    return "Give the client an api_key: `millrace keys create` makes one"
