"""Wakes every task that waits for something to have changed."""

from __future__ import annotations

import asyncio


class Bell:
    def __init__(self) -> None:
        self._waiting: list[asyncio.Future[None]] = []

    def ring(self) -> None:
        woken, self._waiting = self._waiting, []
        for waiter in woken:
            if not waiter.done():
                waiter.set_result(None)

    async def next(self) -> None:
        """Returns at the next ring."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        await waiter
