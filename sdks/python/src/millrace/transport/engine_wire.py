"""The way to an engine: each operation goes over the transport that has it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import uuid4

from millrace.errors import UsageError
from millrace.transport.addresses import read_addresses, read_rest_addresses
from millrace.transport.call import Call, Repeat, Transport, checked_options
from millrace.transport.caller import Caller, CallerSettings
from millrace.transport.rest import RestTransport
from millrace.transport.routes import is_read


@dataclass(frozen=True)
class WireSettings:
    url: str
    rest_url: str | None = None
    max_connections: int = 64
    auto_idempotency_keys: bool = True
    #: For https: False, a path to a bundle of certificates, or an SSL context.
    verify: Any = True
    #: For grpcs: the certificates to trust, in PEM; those of the system when absent.
    root_certificates: bytes | None = None
    caller: CallerSettings = field(default_factory=CallerSettings)


class EngineWire:
    """Everything the clients share; a worker makes a second one for its heartbeats."""

    def __init__(self, settings: WireSettings) -> None:
        self.settings = settings
        addresses = read_addresses(settings.url)
        rest = read_rest_addresses(settings.rest_url) if addresses.over_grpc else addresses
        self.grpc = self._caller(addresses.urls, self._open_grpc) if addresses.over_grpc else None
        self._rest = self._caller(rest.urls, self._open_rest) if rest else None

    async def call(self, call: Call) -> Any:
        return await self._caller_of(call.operation).call(call)

    async def ask(self, call: Call, **options: Any) -> Any:
        """A call with the options of its caller. Reads may be repeated, and changes because they carry a key."""
        given = checked_options(options)
        key = given.pop("idempotency_key", None)
        if is_read(call.operation):
            return await self.call(replace(call, **given))
        if key is None and self.settings.auto_idempotency_keys:
            key = str(uuid4())
        repeat: Repeat = "unsent" if key is None else "always"
        return await self.call(replace(call, idempotency_key=key, repeat=repeat, **given))

    async def close(self) -> None:
        for caller in (self.grpc, self._rest):
            if caller is not None:
                await caller.close()

    def _caller_of(self, operation: str) -> Caller:
        if self.grpc is not None and _has_rpc(operation):
            return self.grpc
        if self._rest is None:
            raise UsageError(
                f"{operation} is not part of the gRPC service: give the client the engine's REST address too, "
                f'such as EngineClient("{self.settings.url}", rest_url="http://127.0.0.1:8080")'
            )
        return self._rest

    def _caller(self, urls: tuple[str, ...], open_one: Callable[[str], Transport]) -> Caller:
        return Caller([open_one(url) for url in urls], self.settings.caller)

    def _open_rest(self, url: str) -> Transport:
        return RestTransport(url, max_connections=self.settings.max_connections, verify=self.settings.verify)

    def _open_grpc(self, url: str) -> Transport:
        try:
            from millrace.transport.grpc_transport import GrpcTransport
        except ImportError as error:
            raise UsageError(
                "gRPC needs more packages: install this SDK with its extra `grpc`, from a clone with "
                "pip install './sdks/python[grpc]', or add grpcio, protobuf and googleapis-common-protos "
                f"({error})"
            ) from error
        return GrpcTransport(url, root_certificates=self.settings.root_certificates)


def _has_rpc(operation: str) -> bool:
    from millrace.transport.grpc_methods import METHODS

    return operation in METHODS
