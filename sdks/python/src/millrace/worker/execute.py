"""Runs the handler of one job and says what came of it."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from millrace.transport.job_trace import current_job
from millrace.types import Job
from millrace.worker.cancellation import Cancellation, JobTimeout
from millrace.worker.clock import Clock
from millrace.worker.handler_exit import HandlerExit, guarded, raised_in_thread
from millrace.worker.handlers import Handler, HandlerContext
from millrace.worker.outcome import Outcome, no_handler, outcome_of_error, outcome_of_return
from millrace.worker.settings import RunnerSettings


@dataclass(frozen=True)
class Executed:
    outcome: Outcome
    #: Nothing is to be reported: the handler gave up after it was told to stop, or was interrupted.
    gave_up: bool = False
    #: KeyboardInterrupt in the handler: the worker has to stop.
    interrupted: bool = False


async def execute(job: Job, cancellation: Cancellation, settings: RunnerSettings, clock: Clock) -> Executed:
    handler = settings.handlers.find(job.job_type)
    if handler is None:
        settings.logger.error("job %s came of type %s, which has no handler here: register one", job.id, job.job_type)
        return Executed(no_handler(job.job_type))
    started_at = clock.now()
    cancel_limit = _limit_time(job, cancellation, clock)
    try:
        return Executed(outcome_of_return(await _run(handler, job, cancellation, settings)))
    except HandlerExit as left:
        return _after_error(job, left.raised, cancellation, settings)
    except Exception as error:
        return _after_error(job, error, cancellation, settings)
    finally:
        cancel_limit()
        settings.metrics.handled(job.job_type, clock.now() - started_at)


def _after_error(job: Job, error: BaseException, cancellation: Cancellation, settings: RunnerSettings) -> Executed:
    interrupted = isinstance(error, KeyboardInterrupt)
    gave_up = cancellation.fired and not isinstance(error, JobTimeout)
    what = "interrupted" if interrupted else "stopped as told" if gave_up else "failed"
    facts = (what, job.id, job.job_type, job.attempt)
    settings.logger.error("handler %s: job %s of type %s, attempt %d", *facts, exc_info=error)
    return Executed(outcome_of_error(error), gave_up or interrupted, interrupted)


def _limit_time(job: Job, cancellation: Cancellation, clock: Clock) -> Callable[[], None]:
    if not job.timeout_seconds:
        return lambda: None
    reason = JobTimeout(f"timed out after {job.timeout_seconds:g} s")
    return clock.after(job.timeout_seconds, lambda: cancellation.fire(reason))


async def _run(handler: Handler, job: Job, cancellation: Cancellation, settings: RunnerSettings) -> Any:
    context = HandlerContext(cancellation, settings.worker_id, settings.logger)
    is_async = inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(type(handler).__call__)

    async def call() -> Any:
        current_job.set(job)
        returned = handler(job, context) if is_async else await _in_thread(lambda: handler(job, context))
        return await returned if inspect.isawaitable(returned) else returned

    around = settings.around_job
    task = asyncio.ensure_future(guarded(lambda: around(job, call) if around else call()))
    return await _watched(task, cancellation, interrupts=is_async)


async def _watched(task: asyncio.Future[Any], cancellation: Cancellation, *, interrupts: bool) -> Any:
    """Waits for a handler, also for one that was told to stop, because its result may still count.

    A coroutine is cancelled then, a thread has to look at its cancellation. One whose time is over is not waited for:
    it must hold neither its place nor its job.
    """
    loop = asyncio.get_running_loop()
    timed_out: asyncio.Future[None] = loop.create_future()

    def stop() -> None:
        if interrupts:
            task.cancel()
        if isinstance(cancellation.reason, JobTimeout) and not timed_out.done():
            timed_out.set_result(None)

    cancellation.on_fire(lambda: loop.call_soon_threadsafe(stop))
    try:
        await asyncio.wait({task, timed_out}, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        # Not the handler was cancelled, but what waits for it: the event loop ends.
        task.cancel()
        raise
    if cancellation.reason is not None and timed_out.done():
        task.add_done_callback(_ignore)
        raise cancellation.reason
    if task.cancelled():
        raise HandlerExit(asyncio.CancelledError("the handler was cancelled"))
    return task.result()


def _ignore(task: asyncio.Future[Any]) -> None:
    if not task.cancelled():
        task.exception()


async def _in_thread(call: Callable[[], Any]) -> Any:
    """In a daemon thread of its own: one that hangs keeps neither other jobs nor the end of the process waiting."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Any] = loop.create_future()
    context = contextvars.copy_context()

    def settle(result: Any, error: BaseException | None) -> None:
        if done.done():
            return
        done.set_result(result) if error is None else done.set_exception(error)

    def work() -> None:
        result, error = None, None
        try:
            result = context.run(call)
        except BaseException as raised:
            error = raised_in_thread(raised)
        try:
            loop.call_soon_threadsafe(settle, result, error)
        except RuntimeError:
            # The loop was closed before the handler ended: its job comes back when the lease ends.
            return

    threading.Thread(target=work, name="millrace-handler", daemon=True).start()
    return await done
