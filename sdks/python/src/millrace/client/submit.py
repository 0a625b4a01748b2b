"""A submission that is sent until an engine accepts it: one key, several engines, no giving up while it can work."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from millrace.backoff import backoff
from millrace.client.engine_client import EngineClient
from millrace.errors import EngineError, MillraceError, TransportError, UsageError

#: Request Timeout, Too Early and Too Many Requests: of all 4xx only these may pass.
_MAY_PASS = frozenset({408, 425, 429})


@dataclass(frozen=True)
class Submitted:
    """What was accepted, and where."""

    idempotency_key: str
    #: Of the engine that accepted it first.
    url: str


@dataclass(frozen=True, kw_only=True)
class Submission:
    definition_id: str
    payload: Mapping[str, Any]
    #: Its own name, the same for every repeat.
    key: str
    linking_id: str | None = None
    #: Seconds that an engine may be silent before the next one is asked as well.
    hedge_after: float = 0.3
    #: Seconds to wait for one answer before the same engine is asked again.
    attempt_timeout: float = 10.0


async def submit(
    engines: Sequence[EngineClient],
    definition_id: str,
    payload: Mapping[str, Any],
    *,
    key: str | None = None,
    deadline: float | None = None,
    **options: Any,
) -> Submitted:
    """Returns once an engine has accepted, and then takes back what is still under way at others.

    `engines` are on one database, the nearest first. Failures that may pass are sat out, each engine for itself and as
    its Retry-After asks; an engine that refuses for good (most of 4xx) ends it. Give your own `key` if you may have to
    submit again after the deadline: it may have been accepted. Options: linking_id, hedge_after, attempt_timeout.
    """
    if not engines:
        raise UsageError("submit needs at least one engine")
    submission = Submission(definition_id=definition_id, payload=payload, key=key or str(uuid4()), **options)
    try:
        return await asyncio.wait_for(_ask_all(engines, submission), deadline)
    except asyncio.TimeoutError as error:
        message = f"the submission {submission.key} was not accepted within {deadline:g} s"
        raise TransportError("timeout", message) from error


async def _ask_all(engines: Sequence[EngineClient], submission: Submission) -> Submitted:
    """The next engine is asked when the one before is in trouble, or silent for too long; those asked are asked on."""
    asking: set[asyncio.Task[Submitted]] = set()
    try:
        for engine in engines:
            trouble = asyncio.Event()
            asking.add(asyncio.ensure_future(_ask_until_accepted(engine, submission, trouble)))
            if winner := await _first(asking, trouble, submission.hedge_after):
                return winner.result()
        done, _ = await asyncio.wait(asking, return_when=asyncio.FIRST_COMPLETED)
        return done.pop().result()
    finally:
        for task in asking:
            task.cancel()
        await asyncio.gather(*asking, return_exceptions=True)


async def _first(
    asking: set[asyncio.Task[Submitted]], trouble: asyncio.Event, seconds: float
) -> asyncio.Task[Submitted] | None:
    """The task that is done; None when there was trouble or the time passed."""
    watch = asyncio.ensure_future(trouble.wait())
    done, _ = await asyncio.wait({*asking, watch}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
    watch.cancel()
    with suppress(asyncio.CancelledError):
        await watch
    return next((task for task in asking if task in done), None)


async def _ask_until_accepted(engine: EngineClient, submission: Submission, trouble: asyncio.Event) -> Submitted:
    attempt = 0
    while True:
        attempt += 1
        try:
            return await _ask(engine, submission)
        except MillraceError as error:
            if _is_final(error):
                raise
            trouble.set()
            await asyncio.sleep(_pause(error, attempt))


async def _ask(engine: EngineClient, submission: Submission) -> Submitted:
    answer = await engine.intake(
        submission.definition_id,
        submission.payload,
        key=submission.key,
        linking_id=submission.linking_id,
        timeout=submission.attempt_timeout,
        max_attempts=1,
    )
    # A proxy that answers for an engine which is not there has kept nothing.
    if answer.idempotency_key != submission.key:
        raise TransportError("malformed", f"the answer of {engine.url} is not an engine's")
    return Submitted(submission.key, engine.url)


def _is_final(error: MillraceError) -> bool:
    if isinstance(error, EngineError):
        return 400 <= error.status < 500 and error.status not in _MAY_PASS
    return not isinstance(error, TransportError)


def _pause(error: MillraceError, attempt: int) -> float:
    """What an engine asks for is told to every caller: up to a fifth is added, or all would be back at once."""
    asked = (error.retry_after or 0.0) if isinstance(error, EngineError) else 0.0
    return max(asked * (1 + random.random() / 5), backoff(attempt))
