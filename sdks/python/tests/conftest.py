"""One scripted engine and one client per test, put away afterwards."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Coroutine, Iterator
from concurrent.futures import Future
from typing import Any

import pytest

from millrace import EngineClient
from support.samples import sample_job
from support.scripted_engine import Received, ScriptedEngine


@pytest.fixture
async def engine() -> AsyncIterator[ScriptedEngine]:
    started = await ScriptedEngine().start()
    yield started
    await started.stop()


@pytest.fixture
async def client(engine: ScriptedEngine) -> AsyncIterator[EngineClient]:
    async with EngineClient(engine.url) as made:
        yield made


class EngineInThread:
    """A scripted engine with an event loop of its own, for handlers that block the test's."""

    def __init__(self) -> None:
        self.beaten = threading.Event()
        self.reported: Future[dict[str, Any]] = Future()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self._engine = self._call(self._start())
        self.url = self._engine.url

    def on(self, path: str, script: Any) -> None:
        self._engine.on(path, script)

    def stop(self) -> None:
        self._call(self._engine.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def _call(self, work: Coroutine[Any, Any, Any]) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(20)

    async def _start(self) -> ScriptedEngine:
        engine = await ScriptedEngine().start()
        engine.on("/v1/jobs/*", self._note)
        await engine.offer(sample_job())
        return engine

    def _note(self, received: Received) -> None:
        if received.path.endswith("/heartbeat"):
            self.beaten.set()
        if received.path.endswith("/exchange") and not self.reported.done():
            self.reported.set_result(received.body["completed"][0])


@pytest.fixture
def engine_in_thread() -> Iterator[EngineInThread]:
    engine = EngineInThread()
    yield engine
    engine.stop()
