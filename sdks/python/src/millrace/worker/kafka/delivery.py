"""One message that is here and not yet handled, and those of one key that wait for their turn."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Generic, TypeVar

from millrace.worker.cancellation import Cancellation
from millrace.worker.kafka.dispatch import Dispatch
from millrace.worker.kafka.tenure import Tenure

T = TypeVar("T")


@dataclass(eq=False)
class Delivery:
    tenure: Tenure
    offset: int
    key: tuple[str, bytes]
    dispatch: Dispatch
    tries: int = 0
    #: There while its handler runs or its report is on the way.
    running: Cancellation | None = None


class Turns(Generic[T]):
    """Lines by key: only the first of a line may run."""

    def __init__(self) -> None:
        self._lines: dict[tuple[str, bytes], deque[T]] = {}

    def join(self, key: tuple[str, bytes], item: T) -> bool:
        """True when it is its turn at once."""
        line = self._lines.setdefault(key, deque())
        line.append(item)
        return len(line) == 1

    def leave(self, key: tuple[str, bytes]) -> T | None:
        """The first of the line is done: whose turn it is now."""
        line = self._lines[key]
        line.popleft()
        if line:
            return line[0]
        del self._lines[key]
        return None
