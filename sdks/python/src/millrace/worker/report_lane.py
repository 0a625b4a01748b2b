"""Brings finished jobs back to the engine, one request at a time, and asks for more work on the same way.

What finishes while a request is in flight goes together in the next one: alone, a report leaves at once; under load
batches grow by themselves. A report that could not be delivered stays at the front until its lease is surely gone; one
over which the engine or the connection breaks waits apart, so that the others pass; one that cannot be sent at all
fails its job.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, replace
from typing import Any

from millrace.backoff import backoff
from millrace.errors import EngineError, ServerTooOldError
from millrace.types import Job, PollOptions
from millrace.worker.clock import Clock, sleep
from millrace.worker.outcome import Failed, Outcome, refused_by_engine, unsendable
from millrace.worker.report import Report, completed_reports, failed_reports, in_answer_order, take_batch
from millrace.worker.report_singly import (
    Delivery,
    Verdict,
    is_breakdown,
    is_cut,
    is_lost,
    is_refusal,
    is_unsendable,
    report_singly,
)
from millrace.worker.settings import RunnerSettings


@dataclass(frozen=True)
class Ask:
    """A question for more jobs that rides along with reports."""

    poll: PollOptions
    #: Called once, whatever happens: the jobs, or none.
    answered: Callable[[Sequence[Job]], None]


@dataclass(frozen=True)
class ReportLaneOptions:
    settings: RunnerSettings
    clock: Clock
    #: Set when nothing more is to be delivered.
    over: asyncio.Event
    ask: Callable[[], Ask | None]
    settled: Callable[[Report, Verdict], None]
    #: Everything that was ready is on its way or has arrived.
    flushed: Callable[[], None]


class ReportLane:
    def __init__(self, options: ReportLaneOptions) -> None:
        self._o = options
        self._s = options.settings
        self._timeout = min(30.0, options.settings.lease_seconds / 3)
        self._waiting: list[Report] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._running = False
        self._aside = 0
        self._failures = 0
        self._exchanges = options.settings.mode != "poll"
        self._may_ask = options.settings.mode == "exchange"

    @property
    def waiting(self) -> int:
        """Reports that no request carries yet."""
        return len(self._waiting)

    @property
    def idle(self) -> bool:
        return not self._running and self._aside == 0

    @property
    def asks(self) -> bool:
        """Whether reports take questions for more jobs along."""
        return self._exchanges and self._may_ask

    def add(self, report: Report) -> None:
        self._waiting.append(report)
        if not self._running:
            self._running = True
            self._start(self._run())

    async def close(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _run(self) -> None:
        # A turn of the event loop lets handlers that finish at the same moment travel together.
        await asyncio.sleep(0)
        while self._waiting and not self._o.over.is_set():
            self._drop_hopeless()
            await self._send(take_batch(self._waiting))
            await asyncio.sleep(0)
        self._running = False
        self._o.flushed()

    async def _send(self, batch: list[Report]) -> None:
        if not batch:
            return
        for report in batch:
            report.tries += 1
        # An exchange takes no report without a token.
        if self._exchanges and all(report.job.lease_token for report in batch):
            await self._exchange(batch)
        else:
            await self._send_singly(batch)

    async def _exchange(self, batch: list[Report]) -> None:
        ask = self._o.ask() if self._may_ask else None
        self._o.flushed()
        jobs: Sequence[Job] = ()
        try:
            answer = await self._s.client.exchange(
                completed=completed_reports(batch),
                failed=failed_reports(batch),
                poll=ask.poll if ask else None,
                worker_id=self._s.worker_id,
                timeout=self._timeout,
                max_attempts=1,
            )
        except Exception as error:
            await self._after_failed_exchange(batch, error)
        else:
            jobs, self._failures = answer.jobs, 0
            outcomes = [result.outcome for result in answer.results]
            for i, report in enumerate(in_answer_order(batch)):
                self._o.settled(report, outcomes[i] if i < len(outcomes) else "unknown")
        finally:
            if ask:
                ask.answered(jobs)

    async def _after_failed_exchange(self, batch: list[Report], error: Exception) -> None:
        if self._learns(error):
            self._put_back(batch)
        elif len(batch) == 1 and is_lost(error):
            self._set_aside(batch[0], error)
        elif is_cut(error) or is_refusal(error) or is_breakdown(error) or is_unsendable(error):
            await self._send_singly(batch)
        else:
            await self._try_again_later(batch, error)

    def _learns(self, error: Exception) -> bool:
        """An engine without exchange, or one that dispatches through Kafka and takes reports only."""
        status = error.status if isinstance(error, EngineError) else 0
        if isinstance(error, ServerTooOldError) or status in (404, 405):
            self._exchanges = False
        elif status == 410 and self._may_ask:
            self._may_ask = False
        else:
            return False
        self._s.logger.info("the engine takes reports in another way, adapting: %s", error)
        return True

    async def _send_singly(self, batch: list[Report]) -> None:
        sending = [report_singly(self._s.client, self._s.worker_id, report, self._timeout) for report in batch]
        deliveries = await asyncio.gather(*sending)
        pairs = list(zip(batch, deliveries, strict=True))
        undelivered = [report for report, delivery in pairs if not self._delivered(report, delivery)]
        failures = [delivery.error for report, delivery in pairs if report in undelivered and delivery.error]
        if failures:
            await self._try_again_later(undelivered, failures[0])
        else:
            self._failures = 0

    def _delivered(self, report: Report, delivery: Delivery) -> bool:
        """False when it has to be sent again with the next."""
        if delivery.error is None:
            self._o.settled(report, delivery.verdict or "unknown")
        elif is_refusal(delivery.error):
            self._after_refusal(report, delivery.error, refused_by_engine(_said(delivery.error)))
        elif is_breakdown(delivery.error) or is_lost(delivery.error):
            self._set_aside(report, delivery.error)
        elif is_unsendable(delivery.error):
            self._after_refusal(report, delivery.error, unsendable(delivery.error))
        else:
            return False
        return True

    def _after_refusal(self, report: Report, error: Exception, instead: Outcome) -> None:
        """Variables that are not taken fail the job; dropping them would only run it again, to the same end."""
        self._s.logger.error("the report of job %s was refused: %s", report.job.id, error)
        if isinstance(report.outcome, Failed):
            self._o.settled(report, "dropped")
        else:
            self._waiting.insert(0, replace(report, outcome=instead, tries=0))

    def _set_aside(self, report: Report, error: Exception) -> None:
        self._aside += 1
        self._s.logger.warning("the report of job %s did not get through, trying again: %s", report.job.id, error)
        self._start(self._add_later(report))

    async def _add_later(self, report: Report) -> None:
        await sleep(self._o.clock, backoff(report.tries), self._o.over)
        self._aside -= 1
        self.add(report)

    async def _try_again_later(self, reports: list[Report], error: Exception) -> None:
        self._put_back(reports)
        if self._o.over.is_set():
            return
        self._failures += 1
        self._s.logger.warning("%d reports not delivered, trying again: %s", len(reports), error)
        asked = (error.retry_after or 0.0) if isinstance(error, EngineError) else 0.0
        await sleep(self._o.clock, max(asked, backoff(self._failures)), self._o.over)

    def _put_back(self, reports: list[Report]) -> None:
        self._waiting[:0] = reports

    def _drop_hopeless(self) -> None:
        now = self._o.clock.now()
        hopeless = [r for r in self._waiting if r.tries > 0 and (r.once or r.give_up_at <= now)]
        if not hopeless:
            return
        self._waiting = [report for report in self._waiting if report not in hopeless]
        for report in hopeless:
            self._o.settled(report, "dropped")

    def _start(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _said(error: Exception) -> str:
    return error.message if isinstance(error, EngineError) else str(error)
