"""The time for which this worker has a partition: which messages are handled, and up to where it may be committed."""

from __future__ import annotations


class Tenure:
    """Messages end in any order; committed is the lowest that is not handled."""

    def __init__(self, topic: str, partition: int) -> None:
        self.topic = topic
        self.partition = partition
        #: No handler is started for its messages any more.
        self.closing = False
        #: The partition is another worker's: nothing of it is committed any more.
        self.over = False
        self._open: dict[int, None] = {}
        self._next: int | None = None

    def received(self, offset: int) -> None:
        self._open[offset] = None
        self._next = offset + 1

    def handled(self, offset: int) -> None:
        self._open.pop(offset, None)

    @property
    def position(self) -> int | None:
        """What may be committed: the offset from which the next owner goes on. None before the first message."""
        return next(iter(self._open), self._next)
