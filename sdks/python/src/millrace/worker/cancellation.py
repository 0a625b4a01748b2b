"""Tells a handler to stop: its lease is lost, its time is over, or the runner will not wait any longer."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable


class JobCancelled(Exception):
    """Why a handler has to stop."""


class LeaseLost(JobCancelled):
    """Another worker may have the job by now."""

    def __init__(self, message: str, *, refused: bool = False) -> None:
        super().__init__(message)
        #: The engine said so.
        self.refused = refused


class JobTimeout(JobCancelled, TimeoutError):
    """The time for one attempt is over. The job fails, retryable."""


class RunnerStopped(JobCancelled):
    """The runner stops and will not wait any longer."""


class Cancellation:
    """Fires at most once, from any thread. An async handler is cancelled as a task as well."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._callbacks: list[Callable[[], object]] = []
        self.reason: JobCancelled | None = None

    @property
    def fired(self) -> bool:
        return self._event.is_set()

    def raise_if_fired(self) -> None:
        if self.reason is not None:
            raise self.reason

    def wait(self, timeout: float | None = None) -> bool:
        """For plain functions: blocks the thread until it fires; False when the seconds passed first."""
        return self._event.wait(timeout)

    async def wait_async(self) -> None:
        """The same for async handlers."""
        loop = asyncio.get_running_loop()
        fired = asyncio.Event()
        self.on_fire(lambda: loop.call_soon_threadsafe(fired.set))
        await fired.wait()

    def on_fire(self, callback: Callable[[], object]) -> None:
        """Called once, in the thread that fires; at once if it has fired before."""
        with self._lock:
            if not self._event.is_set():
                self._callbacks.append(callback)
                return
        callback()

    def fire(self, reason: JobCancelled) -> None:
        with self._lock:
            if self._event.is_set():
                return
            self.reason = reason
            self._event.set()
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()
