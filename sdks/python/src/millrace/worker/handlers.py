"""What a handler is, what it gets, and what it raises to say how its failure counts."""

from __future__ import annotations

import logging
import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from millrace.types import Job
from millrace.worker.cancellation import Cancellation

Variables = Mapping[str, Any]


@dataclass(frozen=True)
class HandlerContext:
    """What a handler gets besides its job."""

    #: Fires when the lease is lost or about to be: stop, another worker may get the job.
    cancellation: Cancellation
    worker_id: str
    logger: logging.Logger


#: Runs one job, as a coroutine or, in a thread of its own, as a plain function. It may run more than once for a job:
#: key outside effects by `job.idempotency_key` or a business key.
Handler = Callable[[Job, HandlerContext], Awaitable[Variables | None] | Variables | None]


class NonRetryableError(Exception):
    """Trying again cannot help: the job fails at once, whatever retries it has left."""


class RetryLaterError(Exception):
    """Try again, but not before `after_seconds`. Spends a retry like any other failure."""

    def __init__(self, message: str, *, after_seconds: float) -> None:
        super().__init__(message)
        if not (math.isfinite(after_seconds) and after_seconds >= 0):
            raise ValueError("after_seconds must be a number of seconds, 0 or more")
        self.after_seconds = after_seconds
