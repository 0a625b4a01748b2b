"""A job that this worker has, on which terms, and who wants to know when it is over."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from millrace.types import Job
from millrace.worker.lease import LeaseSpan

#: Of a job that came without a token: there is nothing to extend.
ENDLESS = LeaseSpan(math.inf, math.inf)


def _nothing(_: bool) -> None:
    pass


@dataclass(frozen=True)
class Claim:
    job: Job
    span: LeaseSpan
    #: Called once, in the runner's event loop: true when the engine has the outcome or wants none from here, false when
    #: nothing was reported. Not called at all when the runner ends before.
    ended: Callable[[bool], None] = _nothing
    #: Its report stays until the engine has answered, because no lease brings the job back.
    lasting: bool = False
