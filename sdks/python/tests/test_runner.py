"""A worker against a scripted engine: claims, runs, reports, stops."""

import asyncio
import json
import logging
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from millrace import EngineClient, NonRetryableError, RetryLaterError, Runner, SdkMetrics, UsageError, job_trace
from millrace.worker.outcome import Completed
from support.samples import sample_job
from support.scripted_engine import Cut, Reply, ScriptedEngine, refusal

Run = Callable[..., Runner]


@pytest.fixture
async def run(client: EngineClient) -> AsyncIterator[Run]:
    runners: list[Runner] = []

    def start(handler: Any = None, **options: Any) -> Runner:
        handlers = options.pop("handlers", {"charge-card": handler})
        runner = Runner(client, handlers, worker_id="worker-1", **options)
        runner.start()
        runners.append(runner)
        return runner

    yield start
    for runner in runners:
        await runner.stop(timeout=0)


async def reported(engine: ScriptedEngine, count: int = 1) -> list[dict[str, Any]]:
    await engine.until(lambda: len(engine.reports) >= count)
    return engine.reports


@pytest.mark.parametrize("mode", ["exchange", "poll"])
async def test_a_handler_gets_the_job_and_its_variables_come_back(engine, run, mode):
    """C-106: a handler gets the job and its variables come back."""
    seen = []

    async def charge(job, context):
        seen.append((job, context))
        return {"receipt": "R"}

    job = sample_job()
    run(charge, mode=mode)
    await engine.offer(job)
    (report,) = await reported(engine)
    assert report["kind"] == "completed"
    assert (report["jobId"], report["leaseToken"], report["variables"]) == (
        job["id"],
        job["leaseToken"],
        {"receipt": "R"},
    )
    got, context = seen[0]
    facts = (got.id, got.instance_id, got.step_id, got.step_execution_id, got.job_type, got.attempt)
    assert facts == tuple(job[name] for name in ("id", "instanceId", "stepId", "stepExecutionId", "jobType", "attempt"))
    assert (got.retries_remaining, got.variables, got.lease_token) == (2, {"amount": 42}, job["leaseToken"])
    assert (got.idempotency_key, context.worker_id, context.cancellation.fired) == (
        job["idempotencyKey"],
        "worker-1",
        False,
    )


async def test_a_plain_function_runs_in_a_thread_of_its_own(engine, run):
    def charge(job, context):
        return {"here": threading.current_thread() is threading.main_thread()}

    run(charge)
    await engine.offer(sample_job())
    assert (await reported(engine))[0]["variables"] == {"here": False}


async def test_asks_only_for_free_places(engine, run):
    """C-107: asks only for free places."""
    release = asyncio.Event()

    async def wait(job, context):
        await release.wait()

    await engine.offer(sample_job(), sample_job())
    run(wait, concurrency=3)
    await engine.until(lambda: len(engine.requests("/v1/jobs/poll")) == 2)
    first, second = engine.requests("/v1/jobs/poll")
    assert (first.body["maxJobs"], second.body["maxJobs"]) == (3, 1)
    release.set()


async def test_64_handlers_by_default(engine, run):
    """C-107: 64 handlers by default."""
    run(lambda job, context: None)
    await engine.until(lambda: len(engine.received) == 1)
    assert engine.received[0].body["maxJobs"] == 64


async def test_long_polls_by_default(engine, run):
    """C-108: long polls by default."""
    run(lambda job, context: None)
    await engine.until(lambda: len(engine.received) == 1)
    assert engine.received[0].body["waitSeconds"] == 20
    assert engine.received[0].body["leaseSeconds"] == 30


async def test_a_wait_leaves_a_third_of_the_lease(engine, run):
    run(lambda job, context: None, lease_seconds=6)
    await engine.until(lambda: len(engine.received) == 1)
    assert engine.received[0].body["waitSeconds"] == 4


async def test_short_polling_asks_again_and_again(engine, run):
    """C-108: short polling asks again and again."""
    run(lambda job, context: None, poll_interval=0.01)
    await engine.until(lambda: len(engine.requests("/v1/jobs/poll")) == 3)
    assert all("waitSeconds" not in asked.body for asked in engine.received)


async def test_goes_on_after_a_failed_poll(engine, run, caplog):
    """C-108: goes on after a failed poll."""
    engine.once("/v1/jobs/poll", refusal(500, "internal-error"), Cut())
    run(lambda job, context: {"done": True})
    await engine.offer(sample_job())
    assert (await reported(engine))[0]["variables"] == {"done": True}
    assert "poll failed" in caplog.text


async def test_an_error_is_reported_and_logged_with_its_traceback(engine, run, caplog):
    """C-109: an error is reported and logged with its traceback."""

    def charge(job, context):
        raise ValueError("card declined")

    run(charge)
    await engine.offer(sample_job())
    (report,) = await reported(engine)
    assert (report["kind"], report["retryable"], report["errorMessage"]) == ("failed", True, "card declined")
    assert "raise ValueError" in caplog.text


async def test_a_non_retryable_error_is_reported_as_such(engine, run):
    """C-109: a non retryable error is reported as such."""

    async def charge(job, context):
        raise NonRetryableError("no such card")

    run(charge)
    await engine.offer(sample_job())
    (report,) = await reported(engine)
    assert (report["retryable"], report["errorMessage"]) == (False, "no such card")


class Unreadable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("no text")


@pytest.mark.parametrize("in_thread", [False, True])
@pytest.mark.parametrize(
    ("error", "retryable", "message"),
    [
        (SystemExit(3), False, "3"),
        (GeneratorExit(), False, "GeneratorExit"),
        (asyncio.CancelledError(), True, "the handler was cancelled"),
        (Unreadable(), True, "Unreadable, whose text cannot be read: its __str__ raised RuntimeError"),
        (StopIteration(), True, None),
        (BaseException("odd"), True, "odd"),
    ],
)
async def test_however_a_handler_ends_its_job_is_reported(engine, run, in_thread, error, retryable, message):
    """C-109: whatever a handler raises, its job fails, and the worker goes on."""
    bad, good = sample_job(), sample_job()

    def plain(job, context):
        if job.id == bad["id"]:
            raise error
        return {"done": True}

    async def coroutine(job, context):
        return plain(job, context)

    run(plain if in_thread else coroutine, concurrency=1)
    await engine.offer(bad, good)
    failed, completed = await reported(engine, 2)
    assert (failed["jobId"], failed["kind"], failed["retryable"]) == (bad["id"], "failed", retryable)
    assert message is None or failed["errorMessage"] == message
    assert (completed["jobId"], completed["kind"]) == (good["id"], "completed")


@pytest.mark.parametrize("in_thread", [False, True])
async def test_an_interrupt_in_a_handler_stops_the_worker_and_leaves_the_job_to_its_lease(engine, client, in_thread):
    def plain(job, context):
        raise KeyboardInterrupt

    async def coroutine(job, context):
        raise KeyboardInterrupt

    await engine.offer(sample_job())
    result = await Runner(client, {"charge-card": plain if in_thread else coroutine}, worker_id="w").run()
    assert (result.drained, engine.reports) == (True, [])


async def test_what_runs_around_a_handler_may_exit(engine, run):
    def around(job, call):
        raise SystemExit("around")

    run(lambda job, context: None, around_job=around)
    await engine.offer(sample_job())
    assert (await reported(engine))[0]["errorMessage"] == "around"


async def test_metrics_that_raise_end_no_worker(engine, run, caplog):
    class Broken(SdkMetrics):
        broken = True

        def handled(self, *_measured: object) -> None:
            if self.broken:
                self.broken = False
                raise RuntimeError("no metrics")

    run(lambda job, context: {"done": True}, metrics=Broken(), concurrency=1)
    await engine.offer(sample_job(), sample_job())
    assert len(await reported(engine)) == 1
    assert "the worker broke over job" in caplog.text


async def test_a_later_retry_is_asked_for(engine, run):
    async def charge(job, context):
        raise RetryLaterError("closed", after_seconds=30)

    run(charge, mode="poll")
    await engine.offer(sample_job())
    (report,) = await reported(engine)
    assert (report["retryable"], report["retryAfter"]) == (True, 30)


async def test_a_job_without_a_handler_fails_for_good(engine, run):
    """C-109: a job without a handler fails for good."""
    run(lambda job, context: None)
    await engine.offer(sample_job(jobType="other"))
    (report,) = await reported(engine)
    assert (report["retryable"], report["errorMessage"]) == (False, "no handler registered for other")


async def test_a_job_that_takes_too_long_is_told_to_stop_and_not_waited_for(engine, run):
    def hang(job, context):
        context.cancellation.wait()
        threading.Event().wait()

    run(hang)
    await engine.offer(sample_job(timeoutSeconds=0.01))
    (report,) = await reported(engine)
    assert (report["retryable"], report["errorMessage"]) == (True, "timed out after 0.01 s")
    assert report["downstreamStatus"] == 504


async def test_reports_that_wait_travel_together_and_ask_for_more(engine, run):
    async def charge(job, context):
        return {"n": job.id}

    await engine.offer(*[sample_job() for _ in range(5)])
    run(charge, concurrency=5)
    await reported(engine, 5)
    (exchange,) = engine.requests("/v1/jobs/exchange")
    assert len(exchange.body["completed"]) == 5
    assert exchange.body["poll"]["maxJobs"] == 5


async def test_in_mode_poll_reports_go_one_by_one(engine, run):
    await engine.offer(sample_job(), sample_job())
    run(lambda job, context: None, mode="poll")
    await reported(engine, 2)
    assert engine.requests("/v1/jobs/exchange") == []


async def test_a_report_that_was_lost_on_the_way_is_sent_again(engine, run):
    engine.once("/v1/jobs/exchange", Cut())
    run(lambda job, context: {"done": True})
    await engine.offer(sample_job())
    first, second = await reported(engine, 2)
    assert first == second


async def test_a_result_that_the_engine_refuses_fails_the_job(engine, run):
    engine.once("/v1/jobs/exchange", refusal(400, "bad-request"))
    engine.on("/v1/jobs/*", lambda sent: refusal(400, "bad-request") if sent.path.endswith("/complete") else None)
    run(lambda job, context: {"bad": True})
    await engine.offer(sample_job())
    await engine.until(lambda: any(report["kind"] == "failed" for report in engine.reports))
    failed = engine.reports[-1]
    assert (failed["retryable"], failed["errorMessage"]) == (
        False,
        "the engine refused the result: because of bad-request",
    )


async def test_one_bad_report_does_not_hold_the_others(engine, run):
    bad = sample_job()
    engine.once("/v1/jobs/exchange", refusal(413, "payload-too-large"))
    engine.on(f"/v1/jobs/{bad['id']}/complete", refusal(413, "payload-too-large"))
    await engine.offer(bad, sample_job())
    run(lambda job, context: {"done": True})
    await engine.until(lambda: any(r["kind"] == "failed" for r in engine.reports))
    assert len([r for r in engine.requests("/v1/jobs/*") if r.path.endswith("/complete")]) == 2


@pytest.mark.parametrize("mode", ["exchange", "poll"])
async def test_a_result_that_cannot_be_sent_fails_its_job_and_holds_no_other(engine, run, monkeypatch, mode):
    monkeypatch.setattr("millrace.worker.execute.outcome_of_return", lambda returned: Completed(returned, 1))
    bad, good = sample_job(), sample_job()
    await engine.offer(bad, good)
    run(lambda job, context: {"x": object() if job.id == bad["id"] else 1}, mode=mode)
    reports = {report["jobId"]: report for report in await reported(engine, 2)}
    assert reports[good["id"]]["variables"] == {"x": 1}
    failed = reports[bad["id"]]
    assert (failed["kind"], failed["retryable"]) == ("failed", False)
    assert failed["errorMessage"].startswith("the handler returned variables that cannot be sent: ")


async def test_an_error_of_the_sdk_itself_fails_the_job_and_stops_no_lane(engine, client, run, monkeypatch):
    async def breaks(*given: object, **named: object) -> None:
        raise AttributeError("a fault of the encoder")

    monkeypatch.setattr(client, "complete", breaks)
    engine.once("/v1/jobs/exchange", refusal(400, "bad-request"))
    await engine.offer(sample_job())
    run(lambda job, context: {"x": 1})
    await engine.until(lambda: any(report["kind"] == "failed" for report in engine.reports))
    assert "a fault of the encoder" in engine.reports[-1]["errorMessage"]


async def test_an_engine_without_exchange_gets_reports_one_by_one(engine, run):
    engine.on("/v1/jobs/exchange", refusal(404, "not-found"))
    run(lambda job, context: {"done": True})
    await engine.offer(sample_job())
    await engine.until(lambda: any(sent.path.endswith("/complete") for sent in engine.received))


async def test_an_engine_that_dispatches_through_kafka_is_asked_for_nothing_more(engine, run):
    engine.once("/v1/jobs/exchange", refusal(410, "polling-disabled"))
    run(lambda job, context: {"done": True})
    await engine.offer(sample_job())
    await reported(engine, 2)
    assert "poll" not in engine.requests("/v1/jobs/exchange")[-1].body


async def test_a_report_over_which_the_engine_breaks_waits_apart(engine, run):
    bad = sample_job()
    engine.once("/v1/jobs/exchange", refusal(500, "internal-error"))
    engine.once(f"/v1/jobs/{bad['id']}/complete", refusal(500, "internal-error"))
    await engine.offer(bad, sample_job())
    run(lambda job, context: {"done": True})
    await engine.until(lambda: len([r for r in engine.reports if r["jobId"] == bad["id"]]) == 3)


@pytest.mark.parametrize("mode", ["exchange", "poll"])
async def test_a_result_over_which_the_connection_breaks_holds_up_no_other(engine, run, mode):
    """C-109: a result over which the connection breaks waits apart, also when it travels alone."""
    through: list[str] = []

    def cut(sent):
        text = sent.path + json.dumps(sent.body)
        if "large" in text:
            return Cut()
        through.append(text)
        return None

    engine.on("/v1/jobs/*", cut)
    run(lambda job, context: None, mode=mode)
    await engine.offer(sample_job(id="large"))
    await engine.until(lambda: bool(engine.reports))
    small = [sample_job() for _ in range(3)]
    await engine.offer(*small)
    await engine.until(lambda: all(job["id"] in str(through) for job in small))
    await engine.until(lambda: len([r for r in engine.reports if r["jobId"] == "large"]) > 2)


async def test_of_reports_that_were_cut_off_together_each_is_sent_alone(engine, run):
    """C-109: one bad report among others holds up none of them."""
    engine.on("/v1/jobs/exchange", Cut())
    engine.on("/v1/jobs/large/complete", Cut())
    good = [sample_job() for _ in range(3)]
    await engine.offer(sample_job(id="large"), *good)
    run(lambda job, context: None)
    await engine.until(lambda: all(engine.requests(f"/v1/jobs/{job['id']}/complete") for job in good))


async def test_a_stop_waits_for_handlers_and_reports(engine, run):
    """C-110: a stop waits for handlers and reports."""
    release, started = asyncio.Event(), asyncio.Event()

    async def charge(job, context):
        started.set()
        await release.wait()
        return {"done": True}

    runner = run(charge)
    await engine.offer(sample_job())
    await started.wait()
    stopping = asyncio.ensure_future(runner.stop())
    release.set()
    result = await stopping
    assert (result.drained, result.unfinished) == (True, 0)
    assert engine.reports[0]["variables"] == {"done": True}
    asked = len(engine.requests("/v1/jobs/poll"))
    await engine.offer(sample_job())
    assert len(engine.requests("/v1/jobs/poll")) == asked


async def test_a_stop_gives_up_on_handlers_after_its_time(engine, run):
    """C-110: a stop gives up on handlers after its time."""
    reasons = []
    started = asyncio.Event()

    async def hang(job, context):
        started.set()
        context.cancellation.on_fire(lambda: reasons.append(str(context.cancellation.reason)))
        await asyncio.Event().wait()

    runner = run(hang)
    await engine.offer(sample_job())
    await started.wait()
    result = await runner.stop(timeout=0)
    assert (result.drained, result.unfinished) == (False, 1)
    assert reasons == ["the runner stopped"]
    assert engine.reports == []


async def test_signals_stop_it(engine, client):
    """C-110: signals stop it."""
    import os
    import signal

    runner = Runner(client, {"charge-card": lambda job, context: None}, worker_id="w", stop_on=[signal.SIGUSR1])
    running = asyncio.ensure_future(runner.run())
    await engine.until(lambda: len(engine.received) == 1)
    os.kill(os.getpid(), signal.SIGUSR1)
    assert (await running).drained


async def test_metrics_have_the_names_of_every_sdk(engine, run):
    """C-114: metrics have the names of every sdk."""

    def charge(job, context):
        if job.attempt == 1:
            raise ValueError("once")
        return

    runner = run(charge)
    await engine.offer(sample_job())
    await reported(engine, 1)
    await engine.offer(sample_job(attempt=2))
    await reported(engine, 2)
    await runner.stop()
    text = runner.settings.metrics.text()
    for name in ("poll_latency_seconds", "handler_latency_seconds"):
        assert f"# TYPE workflow_sdk_{name} histogram" in text
    assert "workflow_sdk_lock_conflicts_total 0\n" in text
    assert 'workflow_sdk_handler_latency_seconds_count{job_type="charge-card"} 2\n' in text
    assert 'workflow_sdk_retries_total{job_type="charge-card"} 1\n' in text
    assert 'workflow_sdk_jobs_completed_total{job_type="charge-card",outcome="success"} 1\n' in text
    assert 'workflow_sdk_jobs_completed_total{job_type="charge-card",outcome="failure"} 1\n' in text


async def test_a_stale_report_is_a_lock_conflict(engine, run, caplog):
    """C-114: a stale report is a lock conflict."""
    job = sample_job()
    engine.on("/v1/jobs/exchange", Reply({"results": [{"jobId": job["id"], "outcome": "stale"}], "jobs": []}))
    runner = run(lambda job, context: None)
    await engine.offer(job)
    await reported(engine)
    await runner.stop()
    assert "workflow_sdk_lock_conflicts_total 1\n" in runner.settings.metrics.text()
    assert "did not count: stale" in caplog.text


async def test_the_trace_of_the_job_goes_on_with_what_its_handler_asks(engine, client, run):
    seen = []

    async def start(job, context):
        seen.append(job_trace())
        await client.wake("x")

    engine.on("/v1/wakeups", Reply({"woken": 0}))
    run(start)
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    await engine.offer(sample_job(traceparent=parent, tracestate="a=b"))
    await reported(engine)
    assert seen == [{"traceparent": parent, "tracestate": "a=b"}]
    sent = engine.requests("/v1/wakeups")[0].headers
    assert (sent["traceparent"], sent["tracestate"]) == (parent, "a=b")
    assert "traceparent" not in engine.requests("/v1/jobs/poll")[0].headers


async def test_a_tracer_may_run_around_every_handler(engine, run):
    async def around(job, handler):
        return {"inside": await handler()}

    run(lambda job, context: {"a": 1}, around_job=around)
    await engine.offer(sample_job())
    assert (await reported(engine))[0]["variables"] == {"inside": {"a": 1}}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"worker_id": " "}, "needs a worker_id"),
        ({"leaseSeconds": 5}, "a runner has no option leaseSeconds"),
        ({"concurrency": 0}, "concurrency must be 1 to 10000"),
        ({"lease_seconds": 4}, "lease_seconds must be 5 to 3600"),
        ({"mode": "stream"}, "needs a client with an address of gRPC"),
        ({"mode": "push"}, "mode is exchange, poll or stream"),
    ],
)
async def test_settings_out_of_bounds_are_refused(client, options, message):
    with pytest.raises(UsageError, match=message):
        Runner(client, {}, **{"worker_id": "w", **options})


async def test_a_runner_starts_once(client):
    runner = Runner(client, {}, worker_id="w")
    runner.start()
    with pytest.raises(UsageError, match="started before"):
        runner.start()
    await runner.stop()


def test_the_worker_logs_where_python_logs():
    assert Runner(EngineClient("http://a"), {}, worker_id="w").settings.logger is logging.getLogger("millrace.worker")
