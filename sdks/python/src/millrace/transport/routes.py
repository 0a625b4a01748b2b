"""The request line of an operation, with every id and query value percent-encoded."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote, urlencode

from millrace._generated.routes import ROUTES
from millrace.errors import UsageError
from millrace.transport.call import Call

_PLACE = re.compile(r"\{(\w+)\}")


def request_line(call: Call) -> tuple[str, str]:
    """The method and the path with its query; what is None in the query is left out."""
    method, template = ROUTES[call.operation].split(" ", 1)
    path = _PLACE.sub(lambda match: _encoded(call.path.get(match[1])), template)
    query = {name: _text(value) for name, value in call.query.items() if value is not None}
    return method, f"{path}?{urlencode(query)}" if query else path


def is_read(operation: str) -> bool:
    return ROUTES[operation].startswith("GET ")


def _encoded(value: str | int | None) -> str:
    """An empty id would address the collection, and `.` or `..` would be resolved away on the road."""
    text = "" if value is None else str(value)
    if text in ("", ".", ".."):
        raise UsageError(f"{text!r} is not an id")
    return quote(text, safe="")


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
