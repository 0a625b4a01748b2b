"""What can go wrong: the engine refuses, or the command cannot be said in the old contract."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


class Refused(Exception):
    """The engine's refusal, or no answer at all."""

    def __init__(self, code: str, message: str, *, retryable: bool = False) -> None:
        super().__init__(message)
        self.code = code
        self.retryable = retryable


class NotSayable(Exception):
    """The old contract has no such field or call."""

    def __init__(self, what: str) -> None:
        super().__init__(f"not in the legacy contract: {what}")


def only(given: Mapping[str, Any], *known: str) -> None:
    """Refuses a field that the old contract does not have."""
    for name in given:
        if name not in known:
            raise NotSayable(name)
