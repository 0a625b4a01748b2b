"""Which Kafka a runner reads from and how it gets in; as the consumer takes it."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, Literal

from millrace.errors import UsageError

Transport = Literal["plaintext", "sasl_scram_tls"]
Mechanism = Literal["SCRAM-SHA-512", "SCRAM-SHA-256"]

_LONGEST_TOPIC = 249
#: What brokers allow a consumer at the least.
_SHORTEST_SESSION = 6.0
_POLL_INTERVAL = 300.0


@dataclass(frozen=True, kw_only=True)
class Kafka:
    """Where the brokers are and how a worker gets in. No transport is the default, and none falls back to plaintext."""

    #: Some of them, such as `kafka-1:9093,kafka-2:9093`; they tell of the others.
    brokers: str
    #: `plaintext`, or `sasl_scram_tls`: TLS and a password.
    transport: Transport
    username: str | None = None
    password: str | None = field(default=None, repr=False)
    mechanism: Mechanism = "SCRAM-SHA-512"
    #: A file in PEM: the authority of the brokers' certificates; those of the system when absent.
    ca_path: str | None = None

    def __post_init__(self) -> None:
        if not self.brokers.strip():
            raise UsageError("brokers of Kafka are needed, such as kafka-1:9093,kafka-2:9093")
        if self.transport not in ("plaintext", "sasl_scram_tls"):
            raise UsageError(f"transport is plaintext or sasl_scram_tls, got {self.transport!r}")
        if self.mechanism not in ("SCRAM-SHA-512", "SCRAM-SHA-256"):
            raise UsageError(f"mechanism is SCRAM-SHA-512 or SCRAM-SHA-256, got {self.mechanism!r}")
        self._check_secrets()

    def _check_secrets(self) -> None:
        secrets = (self.username, self.password)
        if self.transport == "sasl_scram_tls" and not all(secrets):
            raise UsageError("transport sasl_scram_tls needs a username and a password")
        if self.transport == "plaintext" and (any(secrets) or self.ca_path):
            raise UsageError("a username, a password or a ca_path is for transport sasl_scram_tls, not for plaintext")


def topic_of(job_type: str) -> str:
    topic = f"workflow.jobs.{job_type}"
    if not re.fullmatch(r"[A-Za-z0-9._-]+", topic) or len(topic) > _LONGEST_TOPIC:
        raise UsageError(
            f"job type {job_type!r} has no topic in Kafka: letters, digits, dots, underscores and hyphens only, "
            f"and at most {_LONGEST_TOPIC} characters as {topic!r}"
        )
    return topic


def consumer_config(kafka: Kafka, job_type: str, worker_id: str, lease_seconds: float) -> dict[str, Any]:
    """A worker that falls silent loses its partitions after as long as it would lose a lease."""
    session = max(_SHORTEST_SESSION, lease_seconds)
    return {
        "bootstrap.servers": kafka.brokers,
        "client.id": worker_id,
        "group.id": f"workflow.workers.{job_type}",
        "partition.assignment.strategy": "cooperative-sticky",
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "enable.auto.offset.store": False,
        "session.timeout.ms": int(session * 1000),
        "heartbeat.interval.ms": int(session * 1000 / 3),
        "max.poll.interval.ms": int(max(_POLL_INTERVAL, session) * 1000),
        # A topic that is made later is found after this time.
        "topic.metadata.refresh.interval.ms": 10_000,
        "queued.min.messages": 1_000,
        "queued.max.messages.kbytes": 16_384,
        **_security(kafka),
    }


def _security(kafka: Kafka) -> dict[str, Any]:
    if kafka.transport == "plaintext":
        return {"security.protocol": "PLAINTEXT"}
    secured = {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": kafka.mechanism,
        "sasl.username": kafka.username,
        "sasl.password": kafka.password,
    }
    return {**secured, "ssl.ca.location": kafka.ca_path} if kafka.ca_path else secured
