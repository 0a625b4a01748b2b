"""A KafkaRunner against a scripted engine and a topic that the test fills: what is run, remembered and committed."""

import asyncio
import logging
import threading
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest

from millrace import EngineClient, Kafka, KafkaRunner, NonRetryableError, UsageError, job_trace
from millrace.worker.kafka.seen_ids import SeenIds
from millrace.worker.kafka.tenure import Tenure
from support.kafka import NOWHERE, FedRunner, dispatch
from support.samples import ManualClock
from support.scripted_engine import Cut, Reply, ScriptedEngine, refusal

Run = Callable[..., FedRunner]
AT = "2025-01-01T00:00:30.000Z"


@pytest.fixture
async def run(client: EngineClient) -> AsyncIterator[Run]:
    runners: list[FedRunner] = []

    def start(handler: Any, **options: Any) -> FedRunner:
        runner = FedRunner(client, {"charge-card": handler}, worker_id="worker-1", kafka=NOWHERE, **options)
        runner.start()
        runners.append(runner)
        return runner

    yield start
    for runner in runners:
        await runner.stop(timeout=0)


async def charge(job: Any, context: Any) -> dict[str, Any]:
    return {"receipt": job.variables["amount"]}


async def until(condition: Callable[[], bool]) -> None:
    while not condition():
        await asyncio.sleep(0.001)


async def reported(engine: ScriptedEngine, count: int) -> list[dict[str, Any]]:
    await engine.until(lambda: len(engine.reports) >= count)
    return engine.reports


@pytest.mark.parametrize("mode", ["exchange", "poll"])
async def test_a_message_is_a_job_with_its_facts_and_is_committed_when_reported(engine, run, mode):
    """C-112: a message is decoded to a job with its facts, reported with the dispatch token, and then committed."""
    seen = []

    async def note(job, context):
        seen.append((job, job_trace()))
        return {"receipt": "R"}

    event = dispatch(attempt=2, timeout_seconds=9.5, business_key="order-7", traceparent="00-1-2-01", priority="high")
    runner = run(note, mode=mode)
    runner.feed(event, first=40)
    (report,) = await reported(engine, 1)
    await until(lambda: runner.topic.committed is not None)
    assert runner.topic.committed == 41
    assert (report["kind"], report["jobId"], report["leaseToken"]) == ("completed", event.job_id, event.lease_token)
    job, trace = seen[0]
    assert (job.instance_id, job.step_id, job.step_execution_id) == (
        event.instance_id,
        "charge",
        event.step_execution_id,
    )
    assert (job.attempt, job.retries_remaining, job.variables, job.timeout_seconds) == (2, 2, {"amount": 42}, 9.5)
    assert (job.idempotency_key, job.business_key, job.priority) == (event.idempotency_key, "order-7", "high")
    assert trace == {"traceparent": "00-1-2-01"}
    assert engine.requests("/v1/jobs/poll") == []
    assert all("poll" not in received.body for received in engine.requests("/v1/jobs/exchange"))


async def test_a_message_of_an_older_engine_is_reported_without_a_token(engine, run):
    """W-20: fields from 100 on may be absent; then a report names the worker alone, one by one."""
    runner = run(charge)
    older = {"lease_token": "", "attempt": 0, "step_id": "", "idempotency_key": ""}
    runner.feed(dispatch(**older), dispatch(job_payload=b"", **older))
    reports = await reported(engine, 2)
    assert {report["workerId"] for report in reports} == {"worker-1"}
    assert not any(report.get("leaseToken") for report in reports)
    assert engine.requests("/v1/jobs/exchange") == []
    assert sorted(report["kind"] for report in reports) == ["completed", "failed"]


async def test_a_repeated_delivery_is_not_run_again(engine, run):
    """C-112: a dispatch that was reported is not run again within the window, and is committed."""
    runner = run(charge)
    event = dispatch()
    runner.feed(event, first=0)
    await until(lambda: runner.topic.committed == 1)
    runner.feed(event, dispatch(), first=1)
    await until(lambda: runner.topic.committed == 3)
    assert len(engine.reports) == 2


async def test_a_repeat_that_comes_while_the_first_runs_waits_for_it(engine, run):
    """C-113: the second delivery of a dispatch waits for the first, and is then skipped."""
    going, started = asyncio.Event(), []

    async def wait(job, context):
        started.append(job.id)
        await going.wait()

    runner = run(wait)
    event = dispatch()
    runner.feed(event, event)
    await until(lambda: bool(started))
    going.set()
    await until(lambda: runner.topic.committed == 2)
    assert len(started) == len(engine.reports) == 1


async def test_a_report_that_does_not_arrive_is_repeated_and_nothing_is_committed_before(engine, run):
    """C-113: an id is remembered, and its offset committed, only after a confirmed report."""
    answers = [refusal(503, "unavailable"), Cut(), refusal(500, "internal-error"), refusal(401, "unauthenticated")]
    committed_before: list[int | None] = []

    def answer(_: Any) -> Any:
        committed_before.append(runner.topic.committed)
        return answers.pop(0) if answers else Reply(status=204)

    engine.on("/v1/jobs/*", answer)
    runner = run(charge, mode="poll")
    runner.feed(dispatch())
    await until(lambda: runner.topic.committed == 1)
    assert committed_before == [None] * 5


async def test_a_stale_report_is_an_answer(engine, run):
    """C-113: an engine that says that the job is another's or gone has answered: the message is committed."""
    answers = [refusal(409, "lease-lost"), refusal(404, "not-found")]
    engine.on("/v1/jobs/*", lambda _: answers.pop(0))
    runner = run(charge, mode="poll")
    runner.feed(dispatch(), dispatch())
    await until(lambda: runner.topic.committed == 2)


async def test_only_the_highest_contiguous_offset_is_committed(engine, run):
    """C-94: what ended out of order is committed when all before it has ended."""
    gates = [asyncio.Event() for _ in range(3)]

    async def wait(job, context):
        await gates[job.variables["n"]].wait()

    runner = run(wait)
    runner.feed(*[dispatch(job_payload=b'{"n": %d}' % n) for n in range(3)], first=10)
    gates[2].set()
    gates[1].set()
    await reported(engine, 2)
    await until(lambda: len(runner.topic.positions) == 2)
    assert runner.topic.positions == [10, 10]
    gates[0].set()
    await until(lambda: runner.topic.committed == 13)


async def test_jobs_of_one_key_run_one_after_the_other(engine, run):
    """C-97: in order for each instance; other instances are not held up."""
    order, gate = [], asyncio.Event()

    async def note(job, context):
        order.append(job.variables["n"])
        if job.variables["n"] == 0:
            await gate.wait()

    runner = run(note)
    events = [dispatch(job_payload=b'{"n": %d}' % n) for n in range(4)]
    runner.feed(*events, keys=["a", "a", "a", "b"])
    await until(lambda: len(order) == 2)
    assert order == [0, 3]
    gate.set()
    await until(lambda: runner.topic.committed == 4)
    assert order == [0, 3, 1, 2]


async def test_no_more_handlers_run_than_allowed(engine, run):
    """C-107: the number of running handlers is bounded."""
    running, most = 0, 0

    async def work(job, context):
        nonlocal running, most
        running += 1
        most = max(most, running)
        await asyncio.sleep(0)
        running -= 1

    runner = run(work, concurrency=2)
    runner.feed(*[dispatch() for _ in range(9)])
    await until(lambda: runner.topic.committed == 9)
    assert most == 2


async def test_what_cannot_be_decoded_is_logged_and_skipped(engine, run, caplog):
    """C-112: an undecodable record is logged and skipped."""
    runner = run(charge)
    with caplog.at_level(logging.ERROR):
        bad = [b"\xff\xff", dispatch(schema_version=2).SerializeToString(), dispatch(job_id="").SerializeToString()]
        runner.feed_bytes(*bad)
        runner.feed(dispatch(job_payload=b"[1]"), dispatch(), first=3)
    await until(lambda: runner.topic.committed == 5)
    assert len([line for line in caplog.messages if "is skipped" in line]) == 4
    assert len(engine.reports) == 1


async def test_variables_that_had_no_room_are_asked_for(engine, run):
    """W-25: a dispatch without its variables runs with those that a heartbeat brings; one that is lost is passed."""
    large, lost = (dispatch(payload_omitted=True, job_payload=b"{}") for _ in range(2))
    answers = [refusal(503, "unavailable"), Reply({"lockExpiresAt": AT, "variables": {"amount": 7}})]
    engine.on(f"/v1/jobs/{large.job_id}/heartbeat", lambda _: answers.pop(0) if len(answers) > 1 else answers[0])
    engine.on(f"/v1/jobs/{lost.job_id}/heartbeat", lambda _: refusal(409, "lease-lost"))
    runner = run(charge)
    runner.feed(large, lost)
    await until(lambda: runner.topic.committed == 2)
    (report,) = engine.reports
    assert (report["jobId"], report["variables"]) == (large.job_id, {"receipt": 7})
    asked = engine.requests(f"/v1/jobs/{large.job_id}/heartbeat")[0].body
    assert (asked["leaseToken"], asked["withVariables"]) == (large.lease_token, True)


async def test_the_outcome_rules_are_those_of_the_other_runner(engine, run):
    """C-109: NonRetryable fails for good, another error may be retried, a type without a handler fails for good."""

    async def fail(job, context):
        raise NonRetryableError("no") if job.variables["amount"] == 0 else ValueError("later")

    runner = run(fail)
    runner.feed(dispatch(job_payload=b'{"amount": 0}'), dispatch(), dispatch(job_type="other"))
    reports = await reported(engine, 3)
    told = {(report["errorMessage"], report["retryable"]) for report in reports}
    assert told == {("no", False), ("later", True), ("no handler registered for other", False)}
    await until(lambda: runner.topic.committed == 3)


async def test_heartbeats_go_with_the_token_and_a_refused_one_ends_the_message(engine, run):
    """C-113: the engine says that the job is another's: the handler stops, and the message is done with."""
    clock, started = ManualClock(), asyncio.Event()
    engine.on("/v1/jobs/*", lambda got: refusal(409, "lease-lost") if got.path.endswith("/heartbeat") else None)

    async def hang(job, context):
        started.set()
        await asyncio.Event().wait()

    runner = run(hang, clock=clock.of)
    event = dispatch()
    runner.feed(event)
    await started.wait()
    await until(lambda: bool(clock.pending))
    await clock.advance(10)
    await until(lambda: runner.topic.committed == 1)
    beats = engine.requests(f"/v1/jobs/{event.job_id}/heartbeat")
    assert beats[0].body["leaseToken"] == event.lease_token
    assert engine.reports == []


async def test_a_handler_that_stopped_because_no_heartbeat_arrived_runs_again(engine, run):
    """C-113: nothing was reported and nothing is committed: the message is handled again, by the same worker."""
    clock, attempts, waiting = ManualClock(), [], asyncio.Event()
    engine.on("/v1/jobs/*", lambda got: Cut() if got.path.endswith("/heartbeat") else None)

    async def hang_once(job, context):
        attempts.append(job.id)
        if len(attempts) == 1:
            waiting.set()
            await asyncio.Event().wait()

    runner = run(hang_once, clock=clock.of)
    runner.feed(dispatch())
    await waiting.wait()
    while len(attempts) == 1:
        assert runner.topic.committed is None
        await asyncio.sleep(0.001)
        await clock.advance(1)
    await until(lambda: runner.topic.committed == 1)
    assert len(engine.reports) == 1


async def test_on_revoke_what_runs_may_end_and_is_committed(engine, run):
    """C-94: before a partition goes to another worker, its handlers end and what is confirmed is committed."""
    gate, started = asyncio.Event(), []

    async def wait(job, context):
        started.append(job.id)
        await gate.wait()

    runner = run(wait)
    runner.feed(dispatch(), dispatch(), dispatch(), keys=["a", "b", "a"])
    await until(lambda: len(started) == 2)
    revoked = asyncio.ensure_future(runner.revoke())
    await asyncio.sleep(0)
    gate.set()
    # The third waited for the first of its key, and is not started any more.
    assert await revoked == {0: 2}
    assert len(started) == 2


async def test_on_revoke_a_handler_that_does_not_end_is_told_to_stop_and_not_committed(engine, run):
    """C-113: what is not confirmed at a revoke is not committed, and its handler is told to stop."""
    told, started = asyncio.Event(), asyncio.Event()

    async def hang(job, context):
        context.cancellation.on_fire(told.set)
        started.set()
        await asyncio.Event().wait()

    runner = run(hang, stop_timeout=0.01)
    runner.feed(dispatch())
    await started.wait()
    assert await runner.revoke() == {0: 0}
    await told.wait()
    await until(lambda: runner.topic.handed_back == 1)
    assert runner.topic.committed is None
    assert engine.reports == []


async def test_what_is_reported_after_the_partition_has_left_is_not_committed(engine, run):
    """C-94: the next owner of a partition commits it; a worker that had it does not."""
    gate, started = threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()

    def go_on(job, context):
        loop.call_soon_threadsafe(started.set)
        gate.wait()

    runner = run(go_on, stop_timeout=0.01)
    runner.feed(dispatch())
    await started.wait()
    assert await runner.revoke() == {0: 0}
    gate.set()
    await reported(engine, 1)
    await until(lambda: runner.topic.handed_back == 1)
    assert runner.topic.committed is None


async def test_a_stop_drains_and_leaves_the_groups_at_the_end(engine, run):
    """C-110: no new jobs, running ones end, are reported and committed; then the worker leaves its groups."""
    gate, started = asyncio.Event(), []

    async def wait(job, context):
        started.append(job.id)
        await gate.wait()

    runner = run(wait, concurrency=1)
    runner.feed(dispatch(), dispatch())
    await until(lambda: bool(started))
    stopping = asyncio.ensure_future(runner.stop())
    await until(lambda: runner.topic.rested)
    assert not runner.topic.closed
    gate.set()
    assert (await stopping).drained
    assert (runner.topic.committed, len(started), runner.topic.closed) == (1, 1, True)


async def test_a_runner_that_is_stopped_does_not_commit_what_it_gave_up(engine, run):
    started = asyncio.Event()

    async def hang(job, context):
        started.set()
        await asyncio.Event().wait()

    runner = run(hang)
    runner.feed(dispatch())
    await started.wait()
    assert (await runner.stop(timeout=0)).unfinished == 1
    assert runner.topic.committed is None


def test_ids_are_forgotten_after_ten_minutes_and_swept_each_quarter():
    """C-112: in-memory dedup for ten minutes, swept each quarter of that."""
    clock = ManualClock()
    seen = SeenIds(clock)
    seen.add("a")
    clock._now += 599
    assert "a" in seen
    clock._now += 2
    assert "a" not in seen
    seen.add("b")
    assert len(seen) == 1


def test_a_position_is_the_lowest_open_offset():
    tenure = Tenure("t", 0)
    assert tenure.position is None
    for offset in (5, 6, 9):
        tenure.received(offset)
    tenure.handled(6)
    assert tenure.position == 5
    tenure.handled(5)
    assert tenure.position == 9
    tenure.handled(9)
    assert tenure.position == 10


@pytest.mark.parametrize(
    "wrong",
    [
        {"transport": "sasl_scram_tls"},
        {"transport": "sasl_scram_tls", "username": "a"},
        {"transport": "plaintext", "username": "a", "password": "b"},
        {"transport": "plaintext", "ca_path": "ca.pem"},
        {"transport": "ssl"},
        {"transport": "plaintext", "brokers": " "},
        {"transport": "plaintext", "mechanism": "PLAIN"},
    ],
)
def test_settings_that_would_be_ignored_or_fall_back_are_refused(wrong):
    """C-95: never a silent fallback to plaintext."""
    with pytest.raises(UsageError):
        Kafka(**{"brokers": "b:9092", **wrong})


def test_a_password_is_not_shown():
    assert "secret" not in repr(Kafka(brokers="b:1", transport="sasl_scram_tls", username="u", password="secret"))


async def test_a_job_type_that_has_no_topic_is_refused(client):
    """W-24: only letters, digits, dots, underscores and hyphens, 249 with the prefix."""
    for job_type in ("a b", "ä", "x" * 240):
        with pytest.raises(UsageError, match="has no topic"):
            KafkaRunner(client, {job_type: charge}, worker_id="w", kafka=NOWHERE)
    with pytest.raises(UsageError, match="mode"):
        KafkaRunner(client, {"a": charge}, worker_id="w", kafka=NOWHERE, mode="stream")
