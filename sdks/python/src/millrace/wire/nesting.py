"""How deeply a JSON value is nested."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

#: No engine reads a value of more levels over gRPC; the limit of the engine itself, which it tells, is lower.
MAX_LEVELS = 100


def is_nested_deeper(value: Any, levels: int) -> bool:
    """The value itself is the first level; what is neither an object nor a list is none."""
    holders = [value]
    for _ in range(levels):
        holders = [inner for holder in holders for inner in _inside(holder) if isinstance(inner, dict | list | tuple)]
        if not holders:
            return False
    return True


def _inside(holder: Any) -> Iterable[Any]:
    return holder.values() if isinstance(holder, dict) else holder
