"""A real HTTP server that stands in for an engine: it hands out the jobs a test offers, records every request, and
answers as the test scripts it. It knows no rules of workflow."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl, urlsplit


@dataclass
class Received:
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Any
    #: Set when the caller hung up.
    gone: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass
class Reply:
    body: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    #: Sent instead of `body`, as it is.
    text: str | None = None


class Cut:
    """A reply: the connection is cut without an answer."""


#: Answers a request; None leaves it to the script before. It may be a coroutine function.
Script = Callable[[Received], Any]


class ScriptedEngine:
    def __init__(self) -> None:
        self.received: list[Received] = []
        self._scripts: list[tuple[str, Script]] = []
        self._offered: list[dict[str, Any]] = []
        self._changed = asyncio.Condition()
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self) -> ScriptedEngine:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        port = self._server.sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        return self

    async def stop(self) -> None:
        self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def on(self, path: str, script: Script | Reply) -> None:
        """Puts a script before the others; the path may end in `*`."""
        self._scripts.insert(0, (path, script if callable(script) else lambda _: script))

    def once(self, path: str, *replies: Any) -> None:
        """One reply for each of the next requests."""
        left = list(replies)
        self.on(path, lambda _: left.pop(0) if left else None)

    async def offer(self, *jobs: dict[str, Any]) -> None:
        self._offered += jobs
        await self._ring()

    def requests(self, path: str) -> list[Received]:
        return [received for received in self.received if matches(path, received.path)]

    @property
    def reports(self) -> list[dict[str, Any]]:
        """Every report so far, in the order of arrival, whatever its form."""
        return [report for received in self.received for report in _reports(received)]

    async def until(self, condition: Callable[[], bool], patience: float = 20) -> None:
        """Returns when `condition` holds; looked at after each request."""
        async with self._changed:
            await asyncio.wait_for(self._changed.wait_for(condition), patience)

    async def _ring(self) -> None:
        async with self._changed:
            self._changed.notify_all()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            while received := await _read(reader):
                await self._serve(received, reader, writer)
        except (ConnectionError, asyncio.CancelledError):
            pass
        finally:
            self._connections.discard(task)
            writer.close()

    async def _serve(self, received: Received, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.received.append(received)
        await self._ring()
        hung_up = asyncio.ensure_future(_hang_up(reader, received))
        try:
            reply = await self._answer(received)
        finally:
            hung_up.cancel()
        if isinstance(reply, Cut):
            raise ConnectionError
        writer.write(_encoded(reply))
        await writer.drain()

    async def _answer(self, received: Received) -> Any:
        for path, script in self._scripts:
            if matches(path, received.path):
                reply = script(received)
                reply = await reply if asyncio.iscoroutine(reply) else reply
                if reply is not None:
                    return reply
        if received.path == "/v1/jobs/poll":
            return Reply({"jobs": await self._poll(received)})
        if received.path == "/v1/jobs/exchange":
            return Reply(self._exchange(received.body))
        if received.path.endswith("/heartbeat"):
            return Reply({"lockExpiresAt": "2025-01-01T00:00:30.000Z"})
        return Reply(status=204)

    async def _poll(self, received: Received) -> list[dict[str, Any]]:
        """Like the engine, it holds a waiting poll until there is a job, and claims nothing for a caller that left."""
        if received.body.get("waitSeconds"):
            async with self._changed:
                await self._changed.wait_for(lambda: bool(self._offered) or received.gone.is_set())
        return [] if received.gone.is_set() else self._take(received.body.get("maxJobs", 10))

    def _exchange(self, body: dict[str, Any]) -> dict[str, Any]:
        reports = [*body.get("completed", []), *body.get("failed", [])]
        jobs = self._take(body["poll"]["maxJobs"]) if "poll" in body else []
        return {"results": [{"jobId": report["jobId"], "outcome": "accepted"} for report in reports], "jobs": jobs}

    def _take(self, most: int) -> list[dict[str, Any]]:
        taken, self._offered = self._offered[:most], self._offered[most:]
        return taken


def matches(pattern: str, path: str) -> bool:
    return path.startswith(pattern[:-1]) if pattern.endswith("*") else path == pattern


def refusal(status: int, code: str, **headers: str) -> Reply:
    body = {"error": code, "message": f"because of {code}", "requestId": "request-1"}
    return Reply(body, status, {name.replace("_", "-"): value for name, value in headers.items()})


def _reports(received: Received) -> list[dict[str, Any]]:
    parts = received.path.split("/")
    if received.path == "/v1/jobs/exchange":
        done = [{**report, "kind": "completed"} for report in received.body.get("completed", [])]
        return done + [{**report, "kind": "failed"} for report in received.body.get("failed", [])]
    if received.path.startswith("/v1/jobs/") and parts[-1] in ("complete", "fail"):
        kind = "failed" if parts[-1] == "fail" else "completed"
        return [{**received.body, "jobId": parts[3], "kind": kind}]
    return []


async def _read(reader: asyncio.StreamReader) -> Received | None:
    line = await reader.readline()
    if not line:
        return None
    method, target, _ = line.decode().split(" ", 2)
    headers: dict[str, str] = {}
    while (header := (await reader.readline()).decode().strip()) != "":
        name, value = header.split(":", 1)
        headers[name.lower()] = value.strip()
    text = await reader.readexactly(int(headers.get("content-length", "0")))
    parts = urlsplit(target)
    return Received(method, parts.path, dict(parse_qsl(parts.query)), headers, json.loads(text) if text else None)


async def _hang_up(reader: asyncio.StreamReader, received: Received) -> None:
    """Only one request is in flight on a connection, so anything but more bytes means that the caller left."""
    while not reader.at_eof():
        await asyncio.sleep(0.005)
    received.gone.set()


def _encoded(reply: Reply) -> bytes:
    text = reply.text if reply.text is not None else ("" if reply.body is None else json.dumps(reply.body))
    content = text.encode()
    headers = {"content-type": "application/json", "content-length": str(len(content)), **reply.headers}
    head = f"HTTP/1.1 {reply.status} X\r\n" + "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    return head.encode() + b"\r\n" + content
