"""The client of an engine: everything a worker, a service or an operator asks of it, over REST or gRPC."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Any, TypedDict

from millrace.client.dead_letters import DeadLetterClient
from millrace.client.definitions import DefinitionCalls
from millrace.client.events import EventClient
from millrace.client.flow import FlowClient
from millrace.client.instances import InstanceCalls
from millrace.client.observability import ObservabilityClient
from millrace.client.people import PeopleCalls
from millrace.client.queue import QueueCalls
from millrace.client.schedules import ScheduleClient
from millrace.client.worker_calls import WorkerCalls
from millrace.errors import UsageError
from millrace.transport.call import Call, CallOptions
from millrace.transport.caller import CallerSettings, TraceContext
from millrace.transport.engine_wire import EngineWire, WireSettings

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class ClientOptions(TypedDict, total=False):
    """How a client behaves; times are in seconds."""

    #: Beside an address of gRPC: where the engine's REST is, for what the gRPC service does not have.
    rest_url: str | None
    api_key: str | None
    #: Used by poll, complete, fail, heartbeat and exchange when the call names none.
    worker_id: str | None
    #: For a call with its repeats, 60 by default. A long poll adds its wait.
    timeout: float
    #: For one attempt; 30.
    attempt_timeout: float
    #: Of a call that may be repeated, 5 by default; 1 turns repeats off.
    max_attempts: int
    #: 64
    max_connections: int
    #: Give each changing call an Idempotency-Key of its own, so that it can be repeated safely; True.
    auto_idempotency_keys: bool
    #: Asked at every call that is not a worker's own: `traceparent` and `tracestate` to send along.
    #: By default those of the job whose handler makes the call.
    trace_context: TraceContext
    #: For https: False, a path to a bundle of certificates, or an SSL context.
    verify: Any
    #: For grpcs: the certificates to trust, in PEM; those of the system when absent.
    root_certificates: bytes | None


class EngineClient(DefinitionCalls, InstanceCalls, PeopleCalls, QueueCalls, WorkerCalls):
    """`url` begins with http, https, grpc (plaintext) or grpcs; several, separated by commas, fail over."""

    def __init__(self, url: str, **options: Unpack[ClientOptions]) -> None:
        self.url = url
        self.options = options
        WorkerCalls.__init__(self, EngineWire(_wire_settings(url, options)), options.get("worker_id"))
        #: Weights, watermarks, pauses, downstreams, and how the queue stands.
        self.queues = FlowClient(self._wire)
        self.dead_letters = DeadLetterClient(self._wire)
        self.schedules = ScheduleClient(self._wire)
        #: Publishing, and the sinks that events go to.
        self.events = EventClient(self._wire)
        #: How the engine stands, and how it went.
        self.observability = ObservabilityClient(self._wire)

    @property
    def wire(self) -> EngineWire:
        return self._wire

    def clone(self) -> EngineClient:
        """Another client with the same options and connections of its own, for another event loop."""
        return EngineClient(self.url, **self.options)

    async def ready(self, **options: Unpack[CallOptions]) -> None:
        """Returns when the engine can take work, else raises."""
        await self._do(Call("getReadiness"), options)

    async def close(self) -> None:
        """Closes the connections; calls in flight fail."""
        await self._wire.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


_CALLER_OPTIONS = ("api_key", "timeout", "attempt_timeout", "max_attempts", "trace_context")
_WIRE_OPTIONS = ("rest_url", "max_connections", "auto_idempotency_keys", "verify", "root_certificates")


def _wire_settings(url: str, options: ClientOptions) -> WireSettings:
    given: dict[str, Any] = {**options}
    unknown = sorted(set(given) - set(ClientOptions.__annotations__))
    if unknown:
        raise UsageError(f"a client has no option {', '.join(unknown)}")
    caller = CallerSettings(**{name: given[name] for name in _CALLER_OPTIONS if name in given})
    wire = {name: given[name] for name in _WIRE_OPTIONS if name in given}
    return WireSettings(url=url, caller=caller, **wire)
