"""The engine at a glance: how it stands, how it went, which of its parts are well, and who is asking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from millrace.client.part import Part
from millrace.transport.call import Call, CallOptions
from millrace.types import Health, Overview, Session, Stats

if TYPE_CHECKING:
    from typing_extensions import Unpack


class ObservabilityClient(Part):
    async def overview(self, **options: Unpack[CallOptions]) -> Overview:
        """Rates, lanes, leases, dead letters and the busiest downstreams, as of now."""
        return await self._get(Overview, Call("getOverview"), options)

    async def stats(self, window: Literal["PT15M", "PT1H", "P1D"] = "PT15M", **options: Unpack[CallOptions]) -> Stats:
        """Counts and gauges over the last quarter of an hour, hour or day."""
        return await self._get(Stats, Call("getStats", query={"window": window}), options)

    async def health(self, **options: Unpack[CallOptions]) -> Health:
        """Part by part; an EngineError of status 503 where one of them is not well."""
        return await self._get(Health, Call("getComponents"), options)

    async def session(self, **options: Unpack[CallOptions]) -> Session:
        """Whether a key is needed, whose it is and what it may do."""
        return await self._get(Session, Call("getSession"), options)
