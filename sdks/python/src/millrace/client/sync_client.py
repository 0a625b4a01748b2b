"""The client of an engine for code without an event loop: the same calls, each blocks until its answer is there."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING

from millrace._generated.sync_parts import (
    SyncDeadLetterClient,
    SyncDefinitionCalls,
    SyncEventClient,
    SyncFlowClient,
    SyncInstanceCalls,
    SyncObservabilityClient,
    SyncPeopleCalls,
    SyncQueueCalls,
    SyncScheduleClient,
    SyncWorkerCalls,
)
from millrace.client.engine_client import ClientOptions, EngineClient
from millrace.client.sync_part import LoopThread
from millrace.transport.call import CallOptions

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


class SyncEngineClient(SyncDefinitionCalls, SyncInstanceCalls, SyncPeopleCalls, SyncQueueCalls, SyncWorkerCalls):
    """As EngineClient; may be shared by threads."""

    def __init__(self, url: str, **options: Unpack[ClientOptions]) -> None:
        client = EngineClient(url, **options)
        super().__init__(client, LoopThread())
        self._client = client
        self.queues = SyncFlowClient(client.queues, self._loop)
        self.dead_letters = SyncDeadLetterClient(client.dead_letters, self._loop)
        self.schedules = SyncScheduleClient(client.schedules, self._loop)
        self.events = SyncEventClient(client.events, self._loop)
        self.observability = SyncObservabilityClient(client.observability, self._loop)

    def ready(self, **options: Unpack[CallOptions]) -> None:
        """Returns when the engine can take work, else raises."""
        self._run(self._client.ready(**options))

    def close(self) -> None:
        self._run(self._client.close())
        self._loop.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
