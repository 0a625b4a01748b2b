"""A refusal over gRPC as the error that REST would give: by ErrorInfo where the engine sends it, else by its status."""

from __future__ import annotations

from typing import Any

import grpc
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from millrace.errors import (
    MillraceError,
    Refusal,
    TransportError,
    TransportFailure,
    engine_error,
    status_of,
)
from millrace.transport.connection_advice import grpc_advice
from millrace.transport.refusal_advice import Refused, advised

#: What a status means where there are no details.
_CODES = {
    grpc.StatusCode.INVALID_ARGUMENT: "bad-request",
    grpc.StatusCode.NOT_FOUND: "not-found",
    grpc.StatusCode.FAILED_PRECONDITION: "conflict",
    grpc.StatusCode.ALREADY_EXISTS: "conflict",
    grpc.StatusCode.UNAUTHENTICATED: "unauthenticated",
    grpc.StatusCode.PERMISSION_DENIED: "forbidden",
    grpc.StatusCode.RESOURCE_EXHAUSTED: "rate-limited",
    grpc.StatusCode.UNIMPLEMENTED: "method-not-allowed",
    grpc.StatusCode.INTERNAL: "internal-error",
}
_LOST: dict[Any, TransportFailure] = {
    grpc.StatusCode.DEADLINE_EXCEEDED: "timeout",
    grpc.StatusCode.CANCELLED: "interrupted",
    grpc.StatusCode.UNAVAILABLE: "interrupted",
    grpc.StatusCode.UNKNOWN: "malformed",
}
#: What gRPC says when no connection came about: the request never left.
_NEVER_LEFT = ("failed to connect", "connection refused", "name resolution", "dns resolution", "no route to host")
_DETAILS = "grpc-status-details-bin"
_REQUEST_ID = "x-request-id"
_VERSION = "millrace-version"


def read_rpc_error(error: Any, where: str, address: str, *, has_key: bool = False) -> MillraceError:
    """`error` is the AioRpcError of a call."""
    details = _details(error)
    code = _code(details) or _CODES.get(error.code())
    refused = Refused(address, where, has_key, _metadata(error).get(_VERSION))
    if code is None:
        return _lost(error, refused)
    # A message that is too large is refused by gRPC itself, without a code.
    if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED and not details and "larger than max" in error.details():
        code = "payload-too-large"
    refusal = Refusal(
        code=code,
        message=error.details() or code,
        status=status_of(code),
        request_id=_metadata(error).get(_REQUEST_ID),
        details=_violations(details),
        retry_after=_retry_after(details),
    )
    return advised(engine_error(refusal), refused)


def _lost(error: Any, refused: Refused) -> MillraceError:
    said = str(error.details() or error.code().name)
    kind = _LOST.get(error.code(), "malformed")
    address, where = refused.address, refused.call
    if kind == "timeout":
        return TransportError(kind, f"no answer to {where} from {address} in time")
    advice = grpc_advice(said, address)
    told = f"{said.rstrip('.')}. {advice}" if advice else said
    if any(sign in said.lower() for sign in _NEVER_LEFT):
        return TransportError("unreachable", f"no connection to {address} for {where}: {told}")
    return TransportError(kind, f"the connection to {address} broke during {where}: {told}")


def _details(error: Any) -> dict[str, Any]:
    """The google.rpc details by the name of their type."""
    raw = _metadata(error).get(_DETAILS)
    if not isinstance(raw, bytes):
        return {}
    found: dict[str, Any] = {}
    for kind in (ErrorInfo, RetryInfo, BadRequest):
        for packed in Status.FromString(raw).details:
            if packed.Is(kind.DESCRIPTOR):
                packed.Unpack(found.setdefault(kind.__name__, kind()))
    return found


def _code(details: dict[str, Any]) -> str | None:
    info = details.get("ErrorInfo")
    return info.reason.lower().replace("_", "-") if info and info.reason else None


def _violations(details: dict[str, Any]) -> list[dict[str, str]]:
    bad = details.get("BadRequest")
    return [_violation(found) for found in bad.field_violations] if bad else []


def _violation(found: Any) -> dict[str, str]:
    """Takes apart "message: hint": where there is a hint, the message stands beside it alone."""
    message = found.localized_message.message
    hint = found.description.removeprefix(f"{message}: ")
    if not message or hint == found.description:
        return {"path": found.field, "message": found.description}
    return {"path": found.field, "message": message, "hint": hint}


def _retry_after(details: dict[str, Any]) -> float | None:
    info = details.get("RetryInfo")
    return float(info.retry_delay.ToTimedelta().total_seconds()) if info else None


def _metadata(error: Any) -> dict[str, Any]:
    # A mapping whose iteration gives pairs: `dict` of it would look for keys.
    return dict(tuple(error.trailing_metadata() or ()))
