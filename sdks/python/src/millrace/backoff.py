"""How long to wait before the n-th try: 100 ms x 2^(n-1), give or take 20 %, at most 30 s."""

from __future__ import annotations

import random
from collections.abc import Callable

_BASE_SECONDS = 0.1
_CAP_SECONDS = 30.0
_JITTER = 0.2
# Past this the cap holds anyway, and a float would overflow.
_LARGEST_EXPONENT = 30


def backoff(attempt: int, rand: Callable[[], float] = random.random) -> float:
    """Seconds. `attempt` counts from 1, anything below counts as 1; `rand` gives [0, 1)."""
    exponent = min(max(1, attempt) - 1, _LARGEST_EXPONENT)
    plain = min(_CAP_SECONDS, _BASE_SECONDS * 2.0**exponent)
    return min(_CAP_SECONDS, max(0.0, plain * (1 + _JITTER * (2 * rand() - 1))))
