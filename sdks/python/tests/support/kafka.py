"""Dispatches for tests, and a topic that a test fills by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from millrace import Kafka, KafkaRunner
from millrace._generated import engine_pb2 as pb
from support.samples import sample_job

TOPIC = "workflow.jobs.charge-card"
NOWHERE = Kafka(brokers="127.0.0.1:1", transport="plaintext")


def dispatch(dedup_id: str | None = None, **fields: Any) -> pb.JobDispatchEvent:
    job = sample_job()
    given = {
        "schema_version": 1,
        "dedup_id": dedup_id or f"dedup-{job['id']}",
        "job_id": job["id"],
        "instance_id": job["instanceId"],
        "step_execution_id": job["stepExecutionId"],
        "job_type": "charge-card",
        "retries_remaining": 2,
        "job_payload": json.dumps(job["variables"]).encode(),
        "lease_token": job["leaseToken"],
        "attempt": 1,
        "step_id": "charge",
        "idempotency_key": job["idempotencyKey"],
        **fields,
    }
    return pb.JobDispatchEvent(**given)


@dataclass
class Sent:
    """A message as the library gives it."""

    at: int
    content: bytes
    of: str = "instance-1"
    number: int = 0

    def value(self) -> bytes:
        return self.content

    def key(self) -> bytes:
        return self.of.encode()

    def topic(self) -> str:
        return TOPIC

    def partition(self) -> int:
        return self.number

    def offset(self) -> int:
        return self.at


@dataclass
class FakeTopic:
    """Stands for the consumer of a topic: remembers what it was told."""

    positions: list[int | None] = field(default_factory=list)
    handed_back: int = 0
    started = rested = closed = False

    @property
    def committed(self) -> int | None:
        return next((position for position in reversed(self.positions) if position is not None), None)

    def start(self) -> None:
        self.started = True

    def handled(self, partition: int, position: int | None) -> None:
        del partition
        self.handed_back += 1
        self.positions.append(position)

    def rest(self) -> None:
        self.rested = True

    async def close(self) -> None:
        self.closed = True


class FedRunner(KafkaRunner):
    """A KafkaRunner whose messages come from the test."""

    def _open_sources(self, lane: Any) -> dict[str, Any]:
        del lane
        self.topic = FakeTopic()
        return {TOPIC: self.topic}

    def feed(self, *events: pb.JobDispatchEvent, keys: Sequence[str] = (), first: int = 0) -> None:
        """Messages from offset `first` on; the key is the instance unless it is given."""
        content = [(event.instance_id, event.SerializeToString()) for event in events]
        self._kafka_lane.received(
            [Sent(first + i, value, keys[i] if keys else key) for i, (key, value) in enumerate(content)]
        )

    def feed_bytes(self, *contents: bytes, first: int = 0) -> None:
        self._kafka_lane.received([Sent(first + i, content) for i, content in enumerate(contents)])

    async def revoke(self) -> dict[int, int]:
        return await self._kafka_lane.revoked([(TOPIC, 0)])
