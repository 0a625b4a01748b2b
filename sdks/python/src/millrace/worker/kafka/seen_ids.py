"""Remembers which dispatches were handled here: one that the broker delivers again is not run again."""

from __future__ import annotations

from millrace.worker.clock import Clock

#: Seconds.
WINDOW = 600.0
_SWEEPS_PER_WINDOW = 4


class SeenIds:
    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._seen: dict[str, float] = {}
        self._swept_at = clock.now()

    def add(self, dedup_id: str) -> None:
        """Only what the engine has the outcome of: an id that is remembered before would drop the next delivery."""
        self._sweep()
        self._seen[dedup_id] = self._clock.now()

    def __contains__(self, dedup_id: str) -> bool:
        at = self._seen.get(dedup_id)
        return at is not None and self._clock.now() - at < WINDOW

    def __len__(self) -> int:
        return len(self._seen)

    def _sweep(self) -> None:
        now = self._clock.now()
        if now - self._swept_at < WINDOW / _SWEEPS_PER_WINDOW:
            return
        self._swept_at = now
        self._seen = {dedup_id: at for dedup_id, at in self._seen.items() if now - at < WINDOW}
