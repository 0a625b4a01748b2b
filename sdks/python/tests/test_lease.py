"""Leases: extended while a handler runs, and taken for lost in time."""

import asyncio
import threading

import pytest

from millrace import EngineClient, LeaseLost, Runner, TransportError
from millrace.errors import Refusal, engine_error
from millrace.types import Job
from millrace.wire.codec import decode
from millrace.worker.lease import Lease, LeaseEvents, LeaseTerms, LeaseTools
from support.samples import ManualClock, sample_job, settle
from support.scripted_engine import Cut, refusal

TERMS = LeaseTerms("worker-1", 30, 3.0)


class Calls:
    """Answers heartbeats as it is told; a pending one hangs."""

    def __init__(self) -> None:
        self.beats = []
        self.replies = []

    async def heartbeat(self, job_id, **given):
        self.beats.append({"job": job_id, **given})
        reply = self.replies.pop(0) if self.replies else None
        if isinstance(reply, Exception):
            raise reply
        if reply == "hang":
            await asyncio.Event().wait()


class Bench:
    def __init__(self) -> None:
        import logging

        self.clock = ManualClock()
        self.calls = Calls()
        self.lost = []
        self.extended = []
        clock = self.clock.of(asyncio.get_running_loop())
        tools = LeaseTools(self.calls, clock, logging.getLogger("test"), TERMS)
        span = TERMS.span(clock.now(), clock.now())
        events = LeaseEvents(self.extended.append, lambda reason: self.lost.append((str(reason), reason.refused)))
        self.lease = Lease(decode(Job, sample_job()), span, tools, events)


async def test_beats_every_third_of_the_lease():
    bench = Bench()
    await bench.clock.advance(9.9)
    assert bench.calls.beats == []
    await bench.clock.advance(0.2)
    assert len(bench.calls.beats) == 1
    await bench.clock.advance(10.1)
    assert len(bench.calls.beats) == 2
    beat = bench.calls.beats[0]
    assert (beat["lease_seconds"], beat["worker_id"], beat["max_attempts"]) == (30, "worker-1", 1)
    bench.lease.release()


async def test_a_released_lease_beats_no_more():
    bench = Bench()
    bench.lease.release()
    await bench.clock.advance(60)
    assert (bench.calls.beats, bench.lost) == ([], [])


@pytest.mark.parametrize(("status", "code"), [(409, "lease-lost"), (404, "not-found")])
async def test_a_refused_heartbeat_is_a_lost_lease(status, code):
    bench = Bench()
    bench.calls.replies = [engine_error(Refusal(code, "no", status))]
    await bench.clock.advance(10.1)
    assert bench.lost == [("the engine says the lease is lost", True)]


async def test_a_failed_heartbeat_is_sent_again():
    bench = Bench()
    bench.calls.replies = [TransportError("interrupted", "cut")]
    await bench.clock.advance(10.2)
    assert len(bench.calls.beats) == 2
    assert (len(bench.extended), bench.lost) == (1, [])
    bench.lease.release()


async def test_without_an_extension_the_handler_is_told_a_tenth_before_the_end():
    bench = Bench()
    bench.calls.replies = [TransportError("unreachable", "none")] * 100
    await bench.clock.advance(26.9)
    assert bench.lost == []
    await bench.clock.advance(0.2)
    assert bench.lost == [("the lease could not be extended in time", False)]


async def test_a_heartbeat_that_hangs_does_not_outlast_the_lease():
    bench = Bench()
    bench.calls.replies = ["hang"]
    await bench.clock.advance(26.9)
    assert bench.lost == []
    await bench.clock.advance(0.2)
    assert bench.lost == [("the lease could not be extended in time", False)]
    bench.lease._beating.cancel()


async def run_until_lost(engine, handler, clock):
    client = EngineClient(engine.url)
    runner = Runner(client, {"charge-card": handler}, worker_id="w", clock=clock.of)
    runner.start()
    await engine.offer(sample_job())
    return client, runner


async def test_an_async_handler_is_cancelled_when_the_lease_is_lost(engine):
    clock, started, reasons = ManualClock(), asyncio.Event(), []

    async def hang(job, context):
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            reasons.append(context.cancellation.reason)

    engine.on("/v1/jobs/*", lambda sent: refusal(409, "lease-lost") if sent.path.endswith("/heartbeat") else None)
    client, runner = await run_until_lost(engine, hang, clock)
    await started.wait()
    await clock.timer_within(10)
    await clock.advance(10.1)
    while not reasons:
        await settle()
    assert isinstance(reasons[0], LeaseLost)
    result = await runner.stop()
    await client.close()
    assert result.drained
    assert engine.reports == []
    assert "workflow_sdk_lock_conflicts_total 1\n" in runner.settings.metrics.text()


async def test_a_plain_function_sees_its_cancellation_and_its_result_is_tried_once(engine):
    clock, started = ManualClock(), threading.Event()

    def work(job, context):
        started.set()
        context.cancellation.wait()
        return {"late": True}

    engine.on("/v1/jobs/*", lambda sent: refusal(409, "lease-lost") if sent.path.endswith("/heartbeat") else None)
    client, runner = await run_until_lost(engine, work, clock)
    await clock.timer_within(10)
    await clock.advance(10.1)
    await engine.until(lambda: len(engine.reports) == 1)
    assert engine.reports[0]["variables"] == {"late": True}
    await runner.stop()
    await client.close()


async def test_the_result_of_a_lost_lease_is_not_sent_again(engine, caplog):
    clock = ManualClock()

    def work(job, context):
        context.cancellation.wait()
        return {"late": True}

    engine.on("/v1/jobs/*", lambda sent: refusal(409, "lease-lost") if sent.path.endswith("/heartbeat") else None)
    engine.on("/v1/jobs/exchange", Cut())
    client, runner = await run_until_lost(engine, work, clock)
    await clock.timer_within(10)
    await clock.advance(10.1)
    await engine.until(lambda: len(engine.reports) == 1)
    await clock.timer_within(1)
    await clock.advance(1)
    assert (await asyncio.wait_for(runner.stop(), 20)).drained
    await client.close()
    assert len(engine.reports) == 1
    assert "did not count: dropped" in caplog.text


async def test_a_report_is_sent_again_until_its_lease_is_surely_gone(engine, caplog):
    clock = ManualClock()
    engine.on("/v1/jobs/exchange", Cut())
    client, runner = await run_until_lost(engine, lambda job, context: {"done": True}, clock)
    await engine.until(lambda: len(engine.reports) == 1)
    await clock.timer_within(1)
    await clock.advance(1)
    await engine.until(lambda: len(engine.reports) == 2)
    await clock.timer_within(1)
    await clock.advance(36)
    await engine.until(lambda: len(engine.reports) == 3)
    await clock.timer_within(1)
    await clock.advance(1)
    assert (await asyncio.wait_for(runner.stop(), 20)).drained
    await client.close()
    assert "did not count: dropped" in caplog.text


async def test_a_handler_that_blocks_the_event_loop_keeps_its_lease(engine_in_thread):
    """The heartbeats come from a thread of their own."""
    engine = engine_in_thread
    client = EngineClient(engine.url)

    async def block(job, context):
        engine.beaten.wait(120)
        return {"beaten": engine.beaten.is_set()}

    runner = Runner(client, {"charge-card": block}, worker_id="w", lease_seconds=5)
    runner.start()
    await asyncio.wrap_future(engine.reported)
    assert engine.reported.result()["variables"] == {"beaten": True}
    await runner.stop()
    await client.close()
