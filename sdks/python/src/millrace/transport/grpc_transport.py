"""gRPC at one address, over one channel of grpc.aio."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any
from urllib.parse import urlsplit

import grpc
from google.protobuf.message import EncodeError, Message

from millrace._generated import engine_pb2 as pb
from millrace.errors import MillraceError, UsageError
from millrace.transport.call import Call, Sent
from millrace.transport.caller import USER_AGENT
from millrace.transport.grpc_errors import read_rpc_error
from millrace.transport.grpc_methods import METHODS, Method
from millrace.transport.server_notes import heed

_SERVICE = "/workflow.v1.WorkflowEngine/"
_DEFAULT_PORT = 9090
_OPTIONS = [
    ("grpc.primary_user_agent", USER_AGENT),
    # Answers of the engine are bounded below 4 MiB; requests are refused by it.
    ("grpc.max_send_message_length", -1),
    # A dead peer is found although no call is under way, such as behind a balancer that forgot the connection.
    ("grpc.keepalive_time_ms", 30_000),
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    # Repeats are the caller's business, which knows what may be repeated.
    ("grpc.enable_retries", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 5_000),
]


class GrpcTransport:
    """Opens its channel with the first call, in the event loop of that call."""

    def __init__(self, address: str, *, root_certificates: bytes | None = None) -> None:
        self._address = address
        self._root_certificates = root_certificates
        self._channel: grpc.aio.Channel | None = None
        self._calls: dict[str, Any] = {}

    @property
    def address(self) -> str:
        return self._address

    async def send(self, call: Call, sent: Sent) -> Any:
        method = METHODS[call.operation]
        request = _serialized(method.encode(call))
        rpc = self._rpc(method)(request, timeout=sent.timeout, metadata=_metadata(sent.headers))
        try:
            answer = await rpc
            trailing = tuple(await rpc.trailing_metadata() or ())
            heed(self._address, _texts(trailing, "warning"), _texts(trailing, "millrace-version"))
        except grpc.aio.AioRpcError as error:
            has_key = "authorization" in sent.headers
            raise read_rpc_error(error, method.name, self._address, has_key=has_key) from error
        return method.read(answer, call)

    def stream(self, requests: AsyncIterator[Any], headers: Mapping[str, str]) -> Any:
        """A StreamJobs call; `requests` are its messages up."""
        open_stream = self._connected().stream_stream(
            f"{_SERVICE}StreamJobs",
            request_serializer=pb.StreamJobsRequest.SerializeToString,
            response_deserializer=pb.StreamJobsResponse.FromString,
        )
        return open_stream(requests, metadata=_metadata(headers))

    def explain(self, error: Any) -> MillraceError:
        return read_rpc_error(error, "StreamJobs", self._address)

    async def close(self) -> None:
        if self._channel is not None:
            channel, self._channel = self._channel, None
            self._calls.clear()
            await channel.close()

    def _rpc(self, method: Method) -> Any:
        if method.name not in self._calls:
            self._calls[method.name] = self._connected().unary_unary(
                _SERVICE + method.name,
                request_serializer=None,
                response_deserializer=method.response.FromString,
            )
        return self._calls[method.name]

    def _connected(self) -> grpc.aio.Channel:
        if self._channel is None:
            self._channel = self._open()
        return self._channel

    def _open(self) -> grpc.aio.Channel:
        parts = urlsplit(self._address)
        host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
        target = f"{host}:{parts.port or _DEFAULT_PORT}"
        if parts.scheme == "grpc":
            return grpc.aio.insecure_channel(target, options=_OPTIONS)
        credentials = grpc.ssl_channel_credentials(self._root_certificates)
        return grpc.aio.secure_channel(target, credentials, options=_OPTIONS)


def _serialized(request: Message) -> bytes:
    """Here and not in gRPC, which would take a message that cannot be written for a fault of the connection."""
    try:
        return request.SerializeToString()
    except (EncodeError, RecursionError) as error:
        raise UsageError(f"this cannot be sent over gRPC, because it is nested too deeply: {error}") from error


def _metadata(headers: Mapping[str, str]) -> list[tuple[str, str]]:
    # The channel writes the user agent.
    return [(name, value) for name, value in headers.items() if name != "user-agent"]


def _texts(metadata: tuple[tuple[str, Any], ...], name: str) -> str | None:
    """All values of one name; None where there is none."""
    return ", ".join(str(value) for key, value in metadata if key == name) or None
