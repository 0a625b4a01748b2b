"""A refusal over gRPC as the error that REST would give: by ErrorInfo where the engine sends it, else by its status."""

from __future__ import annotations

from typing import Any

import grpc
from google.rpc.error_details_pb2 import BadRequest, ErrorInfo, RetryInfo
from google.rpc.status_pb2 import Status

from millrace.errors import (
    MillraceError,
    Refusal,
    ServerTooOldError,
    TransportError,
    TransportFailure,
    engine_error,
    status_of,
)

#: What a status means where there are no details.
_CODES = {
    grpc.StatusCode.INVALID_ARGUMENT: "bad-request",
    grpc.StatusCode.NOT_FOUND: "not-found",
    grpc.StatusCode.FAILED_PRECONDITION: "conflict",
    grpc.StatusCode.ALREADY_EXISTS: "conflict",
    grpc.StatusCode.UNAUTHENTICATED: "unauthenticated",
    grpc.StatusCode.PERMISSION_DENIED: "forbidden",
    grpc.StatusCode.RESOURCE_EXHAUSTED: "rate-limited",
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


def read_rpc_error(error: Any, where: str, address: str) -> MillraceError:
    """`error` is the AioRpcError of a call."""
    details = _details(error)
    code = _code(details) or _CODES.get(error.code())
    if code is None:
        return _lost(error, where, address)
    # A message that is too large is refused by gRPC itself, without a code.
    if error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED and not details and "larger than max" in error.details():
        code = "payload-too-large"
    return engine_error(
        Refusal(
            code=code,
            message=error.details() or code,
            status=status_of(code),
            request_id=_metadata(error).get(_REQUEST_ID),
            details=_violations(details),
            retry_after=_retry_after(details),
        )
    )


def _lost(error: Any, where: str, address: str) -> MillraceError:
    said = str(error.details() or error.code().name)
    if error.code() is grpc.StatusCode.UNIMPLEMENTED:
        return ServerTooOldError(
            f"{address} does not have {where}: the engine is older than this SDK, or this is not its gRPC port"
        )
    kind = _LOST.get(error.code(), "malformed")
    if kind == "timeout":
        return TransportError(kind, f"no answer to {where} from {address} in time")
    if any(sign in said.lower() for sign in _NEVER_LEFT):
        return TransportError("unreachable", f"no connection to {address} for {where}: {_hint(said)}")
    return TransportError(kind, f"the connection to {address} broke during {where}: {_hint(said)}")


def _hint(said: str) -> str:
    lower = said.lower()
    if "http1" in lower or "http/1" in lower:
        return f"{said} (this is a REST port: the gRPC port is 9090 by default, a REST address begins with http://)"
    if "ssl" in lower or "tls" in lower or "handshake" in lower:
        return f"{said} (grpcs:// speaks TLS, grpc:// does not: does the engine speak the same?)"
    return said


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
    return [{"path": found.field, "message": found.description} for found in bad.field_violations] if bad else []


def _retry_after(details: dict[str, Any]) -> float | None:
    info = details.get("RetryInfo")
    return float(info.retry_delay.ToTimedelta().total_seconds()) if info else None


def _metadata(error: Any) -> dict[str, Any]:
    # A mapping whose iteration gives pairs: `dict` of it would look for keys.
    return dict(tuple(error.trailing_metadata() or ()))
