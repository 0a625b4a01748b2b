"""REST at one address, over kept-alive connections of httpx."""

from __future__ import annotations

import asyncio
import json
import math
from functools import partial
from typing import Any

import httpx

from millrace.errors import MillraceError, Refusal, TransportError, UsageError, engine_error
from millrace.transport.call import Call, Sent
from millrace.transport.connection_advice import rest_advice
from millrace.transport.refusal_advice import Refused, advised
from millrace.transport.routes import request_line
from millrace.transport.server_notes import heed

_UNREACHABLE = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.UnsupportedProtocol)


class RestTransport:
    """Opens its connections with the first call, in the event loop of that call."""

    def __init__(self, address: str, *, max_connections: int = 64, verify: Any = True) -> None:
        self._address = address.rstrip("/")
        self._verify = verify
        # Polls that wait hold a connection each, so that there are more than calls that do not.
        self._limits = httpx.Limits(max_connections=max_connections * 2, max_keepalive_connections=max_connections)
        self._http: httpx.AsyncClient | None = None

    @property
    def address(self) -> str:
        return self._address

    async def send(self, call: Call, sent: Sent) -> Any:
        method, path = request_line(call)
        headers = dict(sent.headers)
        content = None
        if call.body is not None:
            content, headers["content-type"] = _json(call.body), "application/json"
        request = self._client().build_request(method, self._address + path, content=content, headers=headers)
        where = f"{method} {path.split('?')[0]}"
        try:
            response = await asyncio.wait_for(self._client().send(request), sent.timeout)
        except (asyncio.TimeoutError, httpx.TimeoutException, httpx.TransportError) as error:
            raise self._explain(error, where, sent) from error
        version = response.headers.get("millrace-version")
        return self._read(response, Refused(self._address, where, "authorization" in sent.headers, version))

    async def close(self) -> None:
        if self._http is not None:
            http, self._http = self._http, None
            await http.aclose()

    def _client(self) -> httpx.AsyncClient:
        if self._http is None:
            # `send` ends an attempt as a whole. Redirects are not followed: the key stays with the engine.
            self._http = httpx.AsyncClient(
                timeout=None, limits=self._limits, verify=self._verify, headers={"accept": "application/json"}
            )
        return self._http

    def _read(self, response: httpx.Response, refused: Refused) -> Any:
        heed(self._address, response.headers.get("warning"), refused.version)
        if not response.is_success:
            raise advised(read_refusal(response), refused)
        if response.status_code == httpx.codes.NO_CONTENT or not response.content:
            return None
        try:
            return response.json()
        except ValueError as error:
            raise TransportError(
                "malformed", f"the answer of {self._address} is not JSON: is an engine there?"
            ) from error

    def _explain(self, error: Exception, where: str, sent: Sent) -> MillraceError:
        if isinstance(error, _UNREACHABLE):
            return TransportError("unreachable", f"no connection to {self._address} for {where}: {self._said(error)}")
        if isinstance(error, asyncio.TimeoutError | httpx.TimeoutException):
            return TransportError("timeout", f"no answer to {where} from {self._address} within {sent.timeout:g} s")
        said = self._said(error)
        return TransportError("interrupted", f"the connection to {self._address} broke during {where}: {said}")

    def _said(self, error: Exception) -> str:
        said = str(error) or type(error).__name__
        advice = rest_advice(said, self._address)
        return f"{said.rstrip('.')}. {advice}" if advice else said


def read_refusal(response: httpx.Response) -> MillraceError:
    """The error of a refusing answer, also when a proxy and not the engine wrote it."""
    envelope = _envelope(response)
    status = response.status_code
    details = envelope.get("details")
    return engine_error(
        Refusal(
            code=str(envelope.get("error") or f"http-{status}"),
            message=str(envelope.get("message") or f"the engine answered {status}"),
            status=status,
            request_id=envelope.get("requestId"),
            details=details if isinstance(details, list) else (),
            retry_after=_seconds(response.headers.get("retry-after")),
        )
    )


def _envelope(response: httpx.Response) -> dict[str, Any]:
    try:
        body = response.json()
    except ValueError:
        return {}
    return body if isinstance(body, dict) else {}


def _seconds(header: str | None) -> float | None:
    """The date form, which proxies may send, is not worth a clock."""
    try:
        seconds = float(header or "")
    except ValueError:
        return None
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _json(body: Any) -> bytes:
    dumped = partial(json.dumps, body, separators=(",", ":"), allow_nan=False)
    try:
        return dumped(ensure_ascii=False).encode()
    except UnicodeEncodeError:
        # Half of a surrogate pair has no UTF-8, but it can be escaped.
        return dumped(ensure_ascii=True).encode()
    except (TypeError, ValueError, RecursionError) as error:
        raise UsageError(f"this cannot be sent as JSON: {error}") from error
