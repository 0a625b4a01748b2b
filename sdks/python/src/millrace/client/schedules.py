"""Schedules: what is started by the clock."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from millrace.client.part import Part, follow_cursor
from millrace.transport.call import Call, CallOptions, ChangeOptions
from millrace.types import Schedule, ScheduleChange, SchedulePage, ScheduleRequest, ScheduleRun, ScheduleRunPage
from millrace.wire.codec import body, encode

if TYPE_CHECKING:
    from typing_extensions import Unpack


class ScheduleClient(Part):
    async def list(
        self, *, page_size: int | None = None, cursor: str | None = None, **options: Unpack[CallOptions]
    ) -> SchedulePage:
        call = Call("listSchedules", query=body(page_size=page_size, cursor=cursor))
        return await self._get(SchedulePage, call, options)

    def all(self, **options: Unpack[CallOptions]) -> AsyncIterator[Schedule]:
        async def fetch(cursor: str | None) -> SchedulePage:
            return await self._get(SchedulePage, Call("listSchedules", query=body(cursor=cursor)), options)

        return follow_cursor(fetch)

    async def create(self, request: ScheduleRequest, **options: Unpack[ChangeOptions]) -> Schedule:
        return await self._get(Schedule, Call("createSchedule", body=encode(request)), options)

    async def get(self, id: str, **options: Unpack[CallOptions]) -> Schedule:
        return await self._get(Schedule, Call("getSchedule", path={"scheduleId": id}), options)

    async def put(self, id: str, request: ScheduleRequest, **options: Unpack[ChangeOptions]) -> Schedule:
        """Makes it, or puts it in the place of the one that is there."""
        call = Call("putSchedule", path={"scheduleId": id}, body=encode(request))
        return await self._get(Schedule, call, options)

    async def change(self, id: str, request: ScheduleChange, **options: Unpack[ChangeOptions]) -> Schedule:
        """What is left out stays as it is."""
        call = Call("changeSchedule", path={"scheduleId": id}, body=encode(request))
        return await self._get(Schedule, call, options)

    async def delete(self, id: str, **options: Unpack[ChangeOptions]) -> None:
        await self._do(Call("deleteSchedule", path={"scheduleId": id}), options)

    async def run(self, id: str, **options: Unpack[ChangeOptions]) -> ScheduleRun:
        """Now, besides its times."""
        return await self._get(ScheduleRun, Call("runSchedule", path={"scheduleId": id}), options)

    async def runs(
        self, id: str, *, page_size: int | None = None, cursor: str | None = None, **options: Unpack[CallOptions]
    ) -> ScheduleRunPage:
        """What became of its times, newest first."""
        query = body(page_size=page_size, cursor=cursor)
        call = Call("listScheduleRuns", path={"scheduleId": id}, query=query)
        return await self._get(ScheduleRunPage, call, options)
