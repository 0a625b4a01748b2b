"""A worker that has its jobs pushed."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime, timedelta, timezone

import grpc
import pytest

from millrace import EngineClient, Runner
from millrace._generated import engine_pb2 as pb
from support.grpc_engine import GrpcEngine, Refusing


@pytest.fixture
async def grpc_engine() -> AsyncIterator[GrpcEngine]:
    started = await GrpcEngine().start()
    started.on("ExchangeJobs", _accept)
    yield started
    await started.stop()


@pytest.fixture
async def client(grpc_engine: GrpcEngine) -> AsyncIterator[EngineClient]:
    async with EngineClient(grpc_engine.url) as made:
        yield made


def _accept(request, context):
    reports = [*request.completed, *request.failed]
    results = [pb.ReportResult(job_id=report.job_id, outcome="REPORT_OUTCOME_ACCEPTED") for report in reports]
    return pb.ExchangeJobsResponse(results=results)


def job(id: str, *, lease: float = 30) -> pb.Job:
    made = pb.Job(id=id, job_type="charge-card", attempt=1, lease_token=f"1-{id}", idempotency_key=id)
    made.lock_expires_at.FromDatetime(datetime.now(timezone.utc) + timedelta(seconds=lease))
    return made


async def test_gives_credit_for_its_places_and_says_what_it_started(grpc_engine, client):
    release = asyncio.Event()

    async def charge(job, context):
        await release.wait()
        return {"id": job.id}

    runner = Runner(client, {"charge-card": charge}, worker_id="w", mode="stream", concurrency=2)
    runner.start()
    await grpc_engine.until(lambda: bool(grpc_engine.streams and grpc_engine.streams[0].received))
    stream = grpc_engine.streams[0]
    opening = stream.received[0].open
    assert (opening.worker_id, list(opening.job_types), opening.lease_seconds, opening.credit) == (
        "w",
        ["charge-card"],
        30,
        2,
    )
    stream.push(job("a"), job("b"))
    await grpc_engine.until(lambda: stream.started == ["a", "b"])
    assert stream.credit == 2
    release.set()
    await grpc_engine.until(lambda: stream.credit == 4)
    assert (await runner.stop()).drained
    (request,) = grpc_engine.asked("ExchangeJobs")
    assert [report.job_id for report in request.completed] == ["a", "b"]
    assert not request.HasField("poll")


async def test_a_broken_stream_is_opened_again_and_started_jobs_go_on(grpc_engine, client, caplog):
    release = asyncio.Event()

    async def charge(job, context):
        await release.wait()

    runner = Runner(client, {"charge-card": charge}, worker_id="w", mode="stream", concurrency=3)
    runner.start()
    await grpc_engine.until(lambda: bool(grpc_engine.streams and grpc_engine.streams[0].received))
    grpc_engine.streams[0].push(job("a"))
    await grpc_engine.until(lambda: grpc_engine.streams[0].started == ["a"])
    grpc_engine.streams[0].down.put_nowait(Refusing(grpc.StatusCode.UNAVAILABLE, "going down"))
    await grpc_engine.until(lambda: len(grpc_engine.streams) == 2 and bool(grpc_engine.streams[1].received))
    assert grpc_engine.streams[1].received[0].open.credit == 2
    assert "the stream of jobs broke" in caplog.text
    release.set()
    assert (await runner.stop()).drained
    assert [report.job_id for report in grpc_engine.asked("ExchangeJobs")[0].completed] == ["a"]


async def test_a_stream_that_the_engine_ends_is_opened_again(grpc_engine, client):
    runner = Runner(client, {"charge-card": lambda job, context: None}, worker_id="w", mode="stream")
    runner.start()
    await grpc_engine.until(lambda: bool(grpc_engine.streams))
    grpc_engine.streams[0].end()
    await grpc_engine.until(lambda: len(grpc_engine.streams) == 2)
    await runner.stop()


async def test_a_broken_stream_goes_to_the_other_engine(grpc_engine):
    other = await GrpcEngine().start()
    async with EngineClient(f"{grpc_engine.url},{other.url}") as client:
        runner = Runner(client, {"charge-card": lambda job, context: None}, worker_id="w", mode="stream")
        runner.start()
        await grpc_engine.until(lambda: bool(grpc_engine.streams))
        await grpc_engine.stop()
        await other.until(lambda: bool(other.streams))
        await runner.stop()
    await other.stop()


async def test_a_job_that_was_long_on_its_way_is_asked_for_before_it_starts(grpc_engine, client):
    runner = Runner(client, {"charge-card": lambda job, context: None}, worker_id="w", mode="stream")
    runner.start()
    await grpc_engine.until(lambda: bool(grpc_engine.streams))
    grpc_engine.streams[0].push(job("late", lease=1))
    await grpc_engine.until(lambda: bool(grpc_engine.asked("ExchangeJobs")))
    assert [beat.job_id for beat in grpc_engine.asked("Heartbeat")] == ["late"]
    await runner.stop()
