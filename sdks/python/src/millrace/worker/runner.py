"""A worker: claims jobs, has them run, reports the outcomes, stops in good order.

running → draining (no new polls; handlers finish, reports leave) → over. Only `stop` moves it on.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from millrace.client.engine_client import EngineClient
from millrace.errors import UsageError
from millrace.types import Job, PollOptions
from millrace.worker.bell import Bell
from millrace.worker.clock import sleep
from millrace.worker.handlers import Handler
from millrace.worker.poll_lane import PollLane, PollLaneOptions
from millrace.worker.registry import HandlerRegistry
from millrace.worker.report import Report
from millrace.worker.report_lane import Ask, ReportLane, ReportLaneOptions
from millrace.worker.settings import RunnerOptions, RunnerSettings, read_settings
from millrace.worker.slots import Slots
from millrace.worker.workbench import Workbench, WorkbenchOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: Most jobs one request may ask for.
_MAX_JOBS = 100


class Lane(Protocol):
    """How jobs come in."""

    def wake(self) -> None: ...

    async def run(self) -> None: ...


@dataclass(frozen=True)
class StopResult:
    """How a runner ended."""

    #: Everything that was running finished and was reported.
    drained: bool
    #: Handlers left running; their jobs come back when the leases end.
    unfinished: int


class Runner:
    """Make it, then `await run()`; `run_sync()` does the same where there is no event loop.

    The options are those of RunnerSettings: worker_id (needed), concurrency, mode, lease_seconds, wait_seconds,
    poll_interval, metrics, around_job, stop_on, stop_timeout, logger.
    """

    def __init__(
        self, client: EngineClient, handlers: HandlerRegistry | Mapping[str, Handler], **options: Unpack[RunnerOptions]
    ) -> None:
        self.settings: RunnerSettings = read_settings(client, handlers, options)
        self._slots = Slots(self.settings.concurrency)
        self._changed = Bell()
        self._begun = False
        self._stopped: asyncio.Task[StopResult] | None = None

    async def run(self) -> StopResult:
        """Returns after a stop, when everything is done or given up."""
        self.start()
        await self._draining.wait()
        return await self.stop()

    def run_sync(self) -> StopResult:
        """Runs in an event loop of its own until it is stopped; handlers may be plain functions."""

        async def run() -> StopResult:
            try:
                return await self.run()
            finally:
                await self.settings.client.close()

        return asyncio.run(run())

    def start(self) -> None:
        """Starts in the running event loop and returns; `stop` ends it."""
        if self._begun:
            raise UsageError("this runner was started before; make a new one")
        self._begun = True
        self._loop = asyncio.get_running_loop()
        self._clock = self.settings.clock(self._loop)
        self._draining = asyncio.Event()
        self._over = asyncio.Event()
        self._workbench = self._make_workbench()
        self._reports = self._make_report_lane()
        self._jobs = self._make_lane()
        self._lane = asyncio.ensure_future(self._jobs.run())
        self._lane.add_done_callback(self._lane_ended)
        for name in self.settings.stop_on:
            self._loop.add_signal_handler(name, self.request_stop)

    def request_stop(self) -> None:
        """Begins a stop and returns; `run` returns when it is over. From the runner's own event loop."""
        if self._stopped is None:
            self._stopped = asyncio.ensure_future(self._drain(self.settings.stop_timeout))

    async def stop(self, timeout: float | None = None) -> StopResult:
        """No new jobs; running handlers finish and are reported, for at most so many seconds."""
        if not self._begun:
            return StopResult(drained=True, unfinished=0)
        if self._stopped is None:
            self._stopped = asyncio.ensure_future(
                self._drain(self.settings.stop_timeout if timeout is None else timeout)
            )
        return await asyncio.shield(self._stopped)

    async def _drain(self, timeout: float) -> StopResult:
        for name in self.settings.stop_on:
            self._loop.remove_signal_handler(name)
        self._draining.set()
        self._lane.cancel()
        await asyncio.gather(self._lane, return_exceptions=True)
        patience = asyncio.ensure_future(self._until_drained())
        timer = asyncio.ensure_future(sleep(self._clock, timeout, self._over))
        await asyncio.wait({patience, timer}, return_when=asyncio.FIRST_COMPLETED)
        patience.cancel()
        result = StopResult(drained=self._drained, unfinished=self._slots.running)
        self._over.set()
        await self._reports.close()
        await self._workbench.close()
        await asyncio.gather(patience, timer, return_exceptions=True)
        return result

    async def _until_drained(self) -> None:
        while not self._drained:
            await self._changed.next()

    @property
    def _drained(self) -> bool:
        return self._slots.running == 0 and self._reports.idle and self._slots.asked == 0

    def _lane_ended(self, lane: asyncio.Future[None]) -> None:
        if not lane.cancelled() and (error := lane.exception()):
            self.settings.logger.error("the worker stops asking for jobs", exc_info=error)
            self.request_stop()

    async def _poll(self, places: int) -> int:
        answered = self._ask_for(places)
        jobs: Sequence[Job] = ()
        options = self._poll_options(places)
        waits = self.settings.poll_interval is None
        try:
            jobs = await self.settings.client.poll(
                options.job_types,
                worker_id=self.settings.worker_id,
                max_jobs=options.max_jobs,
                lease_seconds=options.lease_seconds,
                wait_seconds=self.settings.longest_wait if waits else None,
            )
            return len(jobs)
        finally:
            answered(jobs)

    def _ask(self) -> Ask | None:
        """A question that rides along with reports."""
        places = 0 if self._draining.is_set() else min(_MAX_JOBS, self._slots.free)
        return Ask(self._poll_options(places), self._ask_for(places)) if places > 0 else None

    def _ask_for(self, places: int) -> Callable[[Sequence[Job]], None]:
        """Promises places to a question; the returned function takes the answer."""
        asked_at = self._clock.now()
        self._slots.ask(places)

        def answered(jobs: Sequence[Job]) -> None:
            self._slots.answered(places)
            now = self._clock.now()
            self.settings.metrics.polled(now - asked_at, len(jobs))
            if not self._over.is_set():
                self._workbench.take(jobs, self._workbench.terms.span(asked_at, now))
            self._wake()

        return answered

    def _poll_options(self, places: int) -> PollOptions:
        job_types = self.settings.handlers.job_types()
        return PollOptions(job_types=job_types, max_jobs=places, lease_seconds=self.settings.lease_seconds)

    def _free_for_poll(self) -> int:
        """What is free and not about to be asked for by the reports that wait."""
        spoken_for = _MAX_JOBS if self._reports.waiting > 0 and self._reports.asks else 0
        return min(_MAX_JOBS, max(0, self._slots.free - spoken_for))

    def _finished(self, report: Report | None) -> None:
        if report and not self._over.is_set():
            self._reports.add(report)
        self._wake()

    def _wake(self) -> None:
        """Places or reports changed: the lane may go on, a drain may be over."""
        self._jobs.wake()
        self._changed.ring()

    def _make_workbench(self) -> Workbench:
        options = WorkbenchOptions(self.settings, self._clock, self._slots, self._finished, self.request_stop)
        return Workbench(options)

    def _make_report_lane(self) -> ReportLane:
        return ReportLane(
            ReportLaneOptions(self.settings, self._clock, self._over, self._ask, self._workbench.settled, self._wake)
        )

    def _make_lane(self) -> Lane:
        return self._make_stream_lane() if self.settings.mode == "stream" else self._make_poll_lane()

    def _make_stream_lane(self) -> Lane:
        # Only here: it needs the packages of gRPC.
        from millrace.worker.stream_lane import StreamLane, StreamLaneOptions

        terms, take = self._workbench.terms, self._workbench.take
        return StreamLane(StreamLaneOptions(self.settings, self._clock, self._draining, self._slots, terms, take))

    def _make_poll_lane(self) -> Lane:
        return PollLane(PollLaneOptions(self.settings, self._clock, self._draining, self._free_for_poll, self._poll))
