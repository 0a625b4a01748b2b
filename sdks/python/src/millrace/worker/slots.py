"""Counts what a runner may still take on: handlers that run, and places promised to requests that ask for jobs.

free = capacity - running - asked. A request asks only for free places, so its answer always fits.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Slots:
    capacity: int
    running: int = 0
    asked: int = 0

    @property
    def free(self) -> int:
        return self.capacity - self.running - self.asked

    def ask(self, places: int) -> None:
        """Promises places to a request; give them back with `answered`."""
        self.asked += places

    def answered(self, places: int) -> None:
        self.asked -= places

    def start(self) -> None:
        self.running += 1

    def finish(self) -> None:
        self.running -= 1
