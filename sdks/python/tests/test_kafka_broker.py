"""A KafkaRunner at a real broker. Needs Java, the broker's jars and MILLRACE_FULL_TESTS=1."""

import asyncio
import os
import re
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

from millrace import EngineClient, Kafka, KafkaRunner
from support.kafka import dispatch
from support.scripted_engine import ScriptedEngine

SCRIPT = Path(__file__).parents[3] / "tools" / "kafka.sh"

pytestmark = pytest.mark.skipif(
    os.environ.get("MILLRACE_FULL_TESTS") != "1" or shutil.which("java") is None,
    reason="needs MILLRACE_FULL_TESTS=1 and Java",
)


class Broker:
    """One broker in a folder of its own, with plaintext and TLS with SCRAM."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._told = dict(re.findall(r"^(\w+)=(.*)$", self.run("start", "--port", "0", "--secure"), re.MULTILINE))
        self.address = self._told["KAFKA_BOOTSTRAP"]
        self.plaintext = Kafka(brokers=self.address, transport="plaintext")
        self.secured_address, self.ca = self._told["KAFKA_SASL_SSL"], self._told["KAFKA_CA"]

    def run(self, *words: str) -> str:
        done = subprocess.run([SCRIPT, *words, "--dir", self._folder], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def secured(self, **changes: str) -> Kafka:
        login = {"username": self._told["KAFKA_USER"], "password": self._told["KAFKA_PASSWORD"], "ca_path": self.ca}
        return Kafka(brokers=self.secured_address, transport="sasl_scram_tls", **{**login, **changes})

    def make_topic(self, partitions: int) -> str:
        """The job type that it is for."""
        job_type = f"type-{uuid4()}"
        admin = AdminClient({"bootstrap.servers": self.address})
        for made in admin.create_topics([NewTopic(f"workflow.jobs.{job_type}", partitions, 1)]).values():
            made.result()
        return job_type

    def send(self, job_type: str, *events: Any) -> None:
        producer = Producer({"bootstrap.servers": self.address, "acks": "all"})
        for event in events:
            producer.produce(f"workflow.jobs.{job_type}", event.SerializeToString(), event.instance_id)
        assert producer.flush(60) == 0

    def committed(self, job_type: str, partitions: int) -> int:
        """How many messages the group has behind it."""
        consumer = Consumer({"bootstrap.servers": self.address, "group.id": f"workflow.workers.{job_type}"})
        places = [TopicPartition(f"workflow.jobs.{job_type}", number) for number in range(partitions)]
        try:
            return sum(max(0, place.offset) for place in consumer.committed(places, timeout=60))
        finally:
            consumer.close()


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    started = Broker(tmp_path_factory.mktemp("kafka"))
    yield started
    started.run("stop")


Run = Callable[..., KafkaRunner]


@pytest.fixture
async def run(broker: Broker, client: EngineClient) -> AsyncIterator[Run]:
    runners: list[KafkaRunner] = []

    def start(job_type: str, handler: Any, name: str = "worker-1", **options: Any) -> KafkaRunner:
        kafka = options.pop("kafka", broker.plaintext)
        runner = KafkaRunner(client, {job_type: handler}, worker_id=name, kafka=kafka, lease_seconds=6, **options)
        runner.start()
        runners.append(runner)
        return runner

    yield start
    await asyncio.gather(*(runner.stop(timeout=0) for runner in runners))


def jobs(job_type: str, count: int) -> list[Any]:
    return [dispatch(job_type=job_type) for _ in range(count)]


def done(engine: ScriptedEngine) -> set[str]:
    return {report["jobId"] for report in engine.reports if report["kind"] == "completed"}


async def until_done(engine: ScriptedEngine, events: list[Any]) -> None:
    """Groups and brokers take their time on a busy machine."""
    await engine.until(lambda: done(engine) >= {event.job_id for event in events}, patience=300)


async def handle(job: Any, context: Any) -> None:
    return None


async def test_jobs_come_through_the_topic_and_the_group_moves_on(broker, engine, run):
    """C-94: group by job type, from the earliest message on, and committed by hand when handled."""
    job_type = broker.make_topic(2)
    events = jobs(job_type, 200)
    broker.send(job_type, *events)
    runner = run(job_type, handle)
    await until_done(engine, events)
    await runner.stop()
    assert broker.committed(job_type, 2) == 200
    assert len(engine.reports) == 200


async def test_more_messages_than_places_are_held_back_and_all_handled(broker, engine, run):
    """C-107: more messages than places: they wait at the broker, and none is left out."""
    job_type = broker.make_topic(1)
    events = jobs(job_type, 60)
    broker.send(job_type, *events)
    most, running = 0, 0

    async def work(job, context):
        nonlocal most, running
        running += 1
        most = max(most, running)
        await asyncio.sleep(0.001)
        running -= 1

    runner = run(job_type, work, concurrency=3)
    await until_done(engine, events)
    await runner.stop()
    assert most <= 3
    assert broker.committed(job_type, 1) == 60


async def test_what_one_worker_gave_up_another_gets(broker, engine, run):
    """C-113: a message that is not confirmed is not committed: the next worker of the group gets it."""
    job_type = broker.make_topic(1)
    (event,) = jobs(job_type, 1)
    broker.send(job_type, event)
    started = asyncio.Event()

    async def hang(job, context):
        started.set()
        await asyncio.Event().wait()

    first = run(job_type, hang)
    await started.wait()
    assert (await first.stop(timeout=0)).unfinished == 1
    assert broker.committed(job_type, 1) == 0
    run(job_type, handle, "worker-2")
    await until_done(engine, [event])


async def test_a_second_worker_takes_partitions_over_without_losing_any(broker, engine, run):
    """C-94: cooperative-sticky: when a worker joins and leaves, every job is handled, and each is committed."""
    job_type = broker.make_topic(4)
    events = jobs(job_type, 100)
    broker.send(job_type, *events)
    run(job_type, handle)
    await until_done(engine, events[:50])
    seen_by_second = asyncio.Event()

    async def note(job, context):
        seen_by_second.set()

    second = run(job_type, note, "worker-2")
    while not seen_by_second.is_set():
        events += jobs(job_type, 1)
        broker.send(job_type, events[-1])
        await asyncio.sleep(0.05)
    await second.stop()
    last = jobs(job_type, 20)
    broker.send(job_type, *last)
    await until_done(engine, [*events, *last])


async def test_tls_and_a_password(broker, engine, run):
    """C-95: TLS with SASL/SCRAM."""
    job_type = broker.make_topic(1)
    (event,) = jobs(job_type, 1)
    broker.send(job_type, event)
    run(job_type, handle, kafka=broker.secured())
    await until_done(engine, [event])


@pytest.mark.parametrize("wrong", ["password", "authority"])
async def test_a_wrong_password_or_authority_is_told_and_nothing_falls_back(broker, engine, run, caplog, wrong):
    """C-95: no silent fallback: the log says what is wrong, and no job is taken."""
    job_type = broker.make_topic(1)
    broker.send(job_type, *jobs(job_type, 1))
    kafka = broker.secured(password="wrong") if wrong == "password" else broker.secured(ca_path=os.devnull)
    with pytest.raises(Exception, match=r"ssl\.ca\.location") if wrong == "authority" else nullcontext():
        run(job_type, handle, kafka=kafka)
        while not any("uthentication" in line for line in caplog.messages):
            await asyncio.sleep(0.05)
    assert engine.reports == []


async def test_a_broker_that_is_killed_and_comes_back(broker, engine, run):
    """C-101: after an outage of the broker the worker goes on by itself."""
    job_type = broker.make_topic(1)
    before, after = jobs(job_type, 1), jobs(job_type, 1)
    broker.send(job_type, *before)
    run(job_type, handle)
    await until_done(engine, before)
    await asyncio.get_running_loop().run_in_executor(None, lambda: (broker.run("kill"), broker.run("start")))
    broker.send(job_type, *after)
    await until_done(engine, after)
