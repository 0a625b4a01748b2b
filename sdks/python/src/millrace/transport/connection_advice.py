"""What to do about a connection that failed: nothing listens there, or it speaks something else than we do."""

from __future__ import annotations

from urllib.parse import SplitResult, urlsplit

_REST_PORT = "the REST port (8080 unless told otherwise)"
_GRPC_PORT = "the gRPC port (9090 unless told otherwise)"
#: How a peer ends a connection whose first bytes it does not understand.
_CLOSED = ("socket closed", "connection reset", "disconnected", "broken pipe", "endpoint closing", "alpn")


def rest_advice(said: str, address: str) -> str:
    """A sentence to put after the reason, or nothing."""
    at, lower = urlsplit(address), said.lower()
    if "certificate_verify_failed" in lower:
        return _trust("verify=", "a file of certificates in PEM, or an SSL context")
    if "connection attempts failed" in lower or "refused" in lower:
        return _not_running(at, _REST_PORT)
    if at.scheme == "https" and ("ssl" in lower or lower == "connecterror"):
        return f"It does not speak TLS: use http://{at.netloc}, if that is {_REST_PORT}"
    if "illegal" in lower or "disconnected" in lower:
        return _no_http(at)
    return ""


def grpc_advice(said: str, address: str) -> str:
    """The same for gRPC."""
    at, lower = urlsplit(address), said.lower()
    if "certificate_verify_failed" in lower:
        return _trust("root_certificates=", "the certificates in PEM")
    if "refused" in lower:
        return _not_running(at, _GRPC_PORT)
    if "http1" in lower or "http/1" in lower:
        return f"It speaks REST: use http://{at.netloc}, or {_GRPC_PORT}"
    if at.scheme == "grpcs" and ("ssl" in lower or "socket closed" in lower):
        return f"It does not speak TLS: use grpc://{at.netloc}, if that is {_GRPC_PORT}"
    if any(sign in lower for sign in _CLOSED):
        return _no_grpc(at)
    return ""


def _trust(option: str, what: str) -> str:
    return f"Its certificate is not trusted: name the authority that signed it with {option} ({what})"


def _not_running(at: SplitResult, port: str) -> str:
    return f"Is the engine running, and is {at.port or 'this'} {port}?"


def _no_http(at: SplitResult) -> str:
    if at.scheme == "https":
        return f"It does not speak HTTP/1.1: use grpcs://{at.netloc} if it is the gRPC port, or {_REST_PORT}"
    return f"If it speaks TLS, use https://{at.netloc}; if it speaks gRPC, use grpc://{at.netloc}, or {_REST_PORT}"


def _no_grpc(at: SplitResult) -> str:
    if at.scheme == "grpcs":
        return f"It does not speak gRPC: use https://{at.netloc} if it is the REST port, or {_GRPC_PORT}"
    return f"It does not speak plaintext gRPC: use grpcs://{at.netloc} if it speaks TLS, or {_GRPC_PORT}"
