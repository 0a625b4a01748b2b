"""A handler made from its script: waits, ends the process, fails or returns, as the control protocol says."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from typing import Any

from millrace import HandlerContext, Job, NonRetryableError, RetryLaterError
from millrace.wire.codec import encode

Script = dict[str, Any]
#: Returns when the harness has let go of a name.
Released = Callable[[str], Awaitable[None]]


async def run_script(script: Script, job: Job, context: HandlerContext, released: Released) -> dict[str, Any]:
    if "waitsFor" in script:
        await _first(released(script["waitsFor"]), context.cancellation.wait_async())
    if "sleepsMs" in script:
        await asyncio.sleep(script["sleepsMs"] / 1000)
    if script.get("exits"):
        os._exit(1)
    _fail_as_told(script, job)
    facts = _picked(encode(job), script.get("copiesFacts"))
    return {**script.get("sets", {}), **_picked(job.variables, script.get("copies")), **facts}


def _fail_as_told(script: Script, job: Job) -> None:
    message, wait = script.get("message", "failed as told"), script.get("retryAfterSeconds")
    if script.get("fails") == "for-good":
        raise NonRetryableError(message)
    if script.get("fails") != "retryably" and job.attempt > script.get("failsFirst", 0):
        return
    raise RuntimeError(message) if wait is None else RetryLaterError(message, after_seconds=wait)


def _picked(source: dict[str, Any], names: dict[str, str] | None) -> dict[str, Any]:
    return {to: source[name] for to, name in (names or {}).items() if name in source}


async def _first(*waits: Awaitable[None]) -> None:
    tasks = [asyncio.ensure_future(wait) for wait in waits]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    for task in tasks:
        task.cancel()
