"""Runs the calls of the async client for code without an event loop: in a thread with a loop of its own."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from typing import Any, TypeVar

T = TypeVar("T")


class LoopThread:
    """One event loop in a daemon thread; it lives as long as its client."""

    def __init__(self) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="millrace-sync", daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Waits for the result; an interrupt of the waiting thread ends the call too."""
        future = asyncio.run_coroutine_threadsafe(work, self._loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


class SyncPart:
    """`_of` is the part of the async client whose methods this one has."""

    def __init__(self, of: Any, loop: LoopThread) -> None:
        self._of = of
        self._loop = loop

    def _run(self, work: Coroutine[Any, Any, T]) -> T:
        return self._loop.run(work)

    def _each(self, items: AsyncIterator[T]) -> Iterator[T]:
        async def step() -> tuple[bool, Any]:
            try:
                return True, await items.__anext__()
            except StopAsyncIteration:
                return False, None

        while True:
            more, item = self._loop.run(step())
            if not more:
                return
            yield item
