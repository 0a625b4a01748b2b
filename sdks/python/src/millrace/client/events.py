"""Events: published for every sink, and what an operator does about sinks and about what they did not take."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from millrace.client.part import Part, follow_cursor
from millrace.transport.call import Call, CallOptions, ChangeOptions
from millrace.types import (
    NewEvent,
    ParkedChange,
    ParkedEvent,
    ParkedEventFilter,
    ParkedEventPage,
    PublishedEvent,
    PublishedEvents,
    ReplayedEvent,
    Sink,
    SinkList,
)
from millrace.wire.codec import body

if TYPE_CHECKING:
    from typing_extensions import Unpack


class EventClient(Part):
    async def publish(
        self,
        type: str,
        payload: Mapping[str, Any],
        *,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
        **options: Unpack[ChangeOptions],
    ) -> PublishedEvent:
        """Its id stays the same however often it is delivered. Events of one key are delivered in order."""
        event = {"type": type, "payload": payload, **body(key=key), **({"headers": headers} if headers else {})}
        return await self._get(PublishedEvent, Call("publishEvent", body=event), options)

    async def publish_many(self, events: Sequence[NewEvent], **options: Unpack[ChangeOptions]) -> PublishedEvents:
        """All of them or none, in their order."""
        return await self._get(PublishedEvents, Call("publishEvents", body=body(events=list(events))), options)

    async def sinks(self, **options: Unpack[CallOptions]) -> list[Sink]:
        """Where events go, and how far each sink has come."""
        return (await self._get(SinkList, Call("listSinks"), options)).items

    async def forget_sink(
        self, sink: str, *, reason: str, force: bool | None = None, **options: Unpack[ChangeOptions]
    ) -> None:
        """Its position and its parked events are gone."""
        await self._do(Call("forgetSink", path={"sink": sink}, body=body(reason=reason, force=force)), options)

    async def parked(
        self,
        *,
        sink: str | None = None,
        type: str | None = None,
        key: str | None = None,
        page_size: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> ParkedEventPage:
        """One page of what sinks did not take, in the order of publishing."""
        query = body(sink=sink, type=type, key=key, page_size=page_size, cursor=cursor)
        return await self._get(ParkedEventPage, Call("listParkedEvents", query=query), options)

    def all_parked(self, *, sink: str | None = None, **options: Unpack[CallOptions]) -> AsyncIterator[ParkedEvent]:
        """All of it, page after page."""

        async def fetch(cursor: str | None) -> ParkedEventPage:
            call = Call("listParkedEvents", query=body(sink=sink, cursor=cursor))
            return await self._get(ParkedEventPage, call, options)

        return follow_cursor(fetch)

    async def replay(self, sink: str, id: str, **options: Unpack[ChangeOptions]) -> ReplayedEvent:
        """Sent again at once, with all its tries; those behind it follow."""
        return await self._get(ReplayedEvent, Call("replayParkedEvent", path={"sink": sink, "eventId": id}), options)

    async def discard(self, sink: str, id: str, **options: Unpack[ChangeOptions]) -> None:
        """The sink will never be sent it."""
        await self._do(Call("discardParkedEvent", path={"sink": sink, "eventId": id}), options)

    async def replay_all(
        self, filter: ParkedEventFilter, *, dry_run: bool | None = None, **options: Unpack[ChangeOptions]
    ) -> ParkedChange:
        call = Call("replayParkedEvents", body=body(filter=filter, dry_run=dry_run))
        return await self._get(ParkedChange, call, options)

    async def discard_all(
        self, filter: ParkedEventFilter, *, dry_run: bool | None = None, **options: Unpack[ChangeOptions]
    ) -> ParkedChange:
        call = Call("discardParkedEvents", body=body(filter=filter, dry_run=dry_run))
        return await self._get(ParkedChange, call, options)
