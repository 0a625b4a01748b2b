"""What every part of the client shares: asking for an operation, and reading its answer."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, Protocol, TypeVar

from millrace.transport.call import Call
from millrace.transport.engine_wire import EngineWire
from millrace.wire.codec import decode

T = TypeVar("T")
Item = TypeVar("Item")


class Page(Protocol[Item]):
    @property
    def items(self) -> list[Item]: ...

    @property
    def next_cursor(self) -> str | None: ...


class Part:
    def __init__(self, wire: EngineWire) -> None:
        self._wire = wire

    async def _get(self, shape: type[T], call: Call, options: Mapping[str, Any]) -> T:
        return decode(shape, await self._wire.ask(call, **options))

    async def _do(self, call: Call, options: Mapping[str, Any]) -> None:
        await self._wire.ask(call, **options)


async def follow_cursor(fetch: Callable[[str | None], Awaitable[Page[T]]]) -> AsyncIterator[T]:
    """Every item of a list that is read page by page."""
    page = await fetch(None)
    while True:
        for item in page.items:
            yield item
        if page.next_cursor is None:
            return
        page = await fetch(page.next_cursor)
