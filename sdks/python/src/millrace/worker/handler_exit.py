"""A handler that ends by something else than an Exception: asyncio would let it end the event loop, or lose it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any


class HandlerExit(Exception):
    """Stands for what the handler raised: SystemExit, KeyboardInterrupt, GeneratorExit and the like."""

    def __init__(self, raised: BaseException) -> None:
        super().__init__(type(raised).__name__)
        self.raised = raised


async def guarded(run: Callable[[], Awaitable[Any]]) -> Any:
    """Runs it; everything that it raises is an Exception then, or a cancellation."""
    try:
        return await run()
    except (Exception, asyncio.CancelledError):
        raise
    except BaseException as raised:
        raise HandlerExit(raised) from raised


def raised_in_thread(error: BaseException) -> BaseException:
    """A future does not take StopIteration, and the job would never end."""
    if not isinstance(error, StopIteration):
        return error
    instead = RuntimeError("the handler raised StopIteration")
    instead.__cause__ = error
    return instead
