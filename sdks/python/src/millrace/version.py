"""The version of this SDK, which is the engine's, the oldest engine it can speak to, and how versions are compared."""

import re

__version__ = "0.1.0"

#: An engine that says it is older is refused with ServerTooOldError.
OLDEST_ENGINE = "0.1.0"


def is_older(version: str, other: str) -> bool:
    """By their three numbers."""
    return _numbers(version) < _numbers(other)


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in re.findall(r"\d+", version)[:3])
