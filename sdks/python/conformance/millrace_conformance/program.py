"""Reads commands, has them done at the same time, writes the answers as they come."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from millrace import EngineError, TransportError
from millrace_conformance.client_commands import ClientCommands
from millrace_conformance.worker_commands import WorkerCommands

_LONGEST_LINE = 64 * 1024 * 1024

Command = Callable[[dict[str, Any]], Awaitable[Any]]


class Program:
    def __init__(self) -> None:
        self._client = ClientCommands()
        self._worker = WorkerCommands(lambda: self._client.engine)
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> int:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader(limit=_LONGEST_LINE)
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        loop.add_signal_handler(signal.SIGTERM, reader.feed_eof)
        while line := await reader.readline():
            self._begin(line)
        result = await self._worker.stop({})
        await self._client.close({})
        return 0 if result["drained"] else 1

    def _begin(self, line: bytes) -> None:
        try:
            command = json.loads(line)
        except ValueError:
            sys.stderr.write(f"not JSON: {line!r}\n")
            sys.stderr.flush()
            os._exit(2)
        task = asyncio.ensure_future(self._serve(command))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, command: dict[str, Any]) -> None:
        try:
            _answer({"id": command["id"], "ok": await self._obey(command)})
        except Exception as error:
            _answer({"id": command.get("id"), "error": _error(error)})

    async def _obey(self, command: dict[str, Any]) -> Any:
        known: dict[str, Command] = {**self._client.commands(), **self._worker.commands()}
        if command["do"] not in known:
            raise LookupError(f"this program has no command {command['do']!r}")
        return await known[command["do"]](command.get("with") or {})


def _answer(line: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(line) + "\n")
    sys.stdout.flush()


def _error(error: Exception) -> dict[str, Any]:
    if isinstance(error, EngineError):
        return {"code": error.code, "message": error.message, "retryable": error.retryable}
    if isinstance(error, TransportError):
        return {"code": "unavailable", "message": str(error), "retryable": error.retryable}
    return {"code": "client", "message": str(error) or type(error).__name__, "retryable": False}
