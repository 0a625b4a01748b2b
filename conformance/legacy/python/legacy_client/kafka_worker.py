"""A runner of Kafka as existing ones are, faults included: it remembers a dispatch before its handler has run, and
commits also when the report failed. One consumer for each job type, one message after the other."""

from __future__ import annotations

import logging
import threading
import time
from typing import Any

from confluent_kafka import Consumer, Message

from legacy_client.dispatch_event import DispatchEvent, parse_event
from legacy_client.handling import Handling

Json = dict[str, Any]

#: Seconds.
_WINDOW = 600.0
_TICK = 0.2

logger = logging.getLogger("legacy")


class SeenIds:
    """For ten minutes; swept each quarter of that."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: dict[str, float] = {}
        self._swept_at = time.monotonic()

    def is_new(self, dedup_id: str) -> bool:
        """Remembers it, whatever becomes of it."""
        with self._lock:
            now = time.monotonic()
            if now - self._swept_at >= _WINDOW / 4:
                self._seen = {known: at for known, at in self._seen.items() if now - at < _WINDOW}
                self._swept_at = now
            known = dedup_id in self._seen
            self._seen[dedup_id] = now
            return not known


class LegacyKafkaWorker:
    def __init__(self, handling: Handling, given: Json) -> None:
        self._handling = handling
        self._brokers: str = given["brokers"]
        self._seen = SeenIds()
        self._stopping = threading.Event()
        self._threads = [
            threading.Thread(target=self._consume, args=(job_type,), daemon=True) for job_type in handling.scripts
        ]
        for thread in self._threads:
            thread.start()

    def stop(self, timeout: float) -> bool:
        """True when every handler ended in time."""
        self._stopping.set()
        until = time.monotonic() + timeout
        for thread in self._threads:
            thread.join(max(0.0, until - time.monotonic()))
        return not any(thread.is_alive() for thread in self._threads)

    def _consume(self, job_type: str) -> None:
        consumer = Consumer(
            {
                "bootstrap.servers": self._brokers,
                "group.id": f"workflow.workers.{job_type}",
                "partition.assignment.strategy": "cooperative-sticky",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "session.timeout.ms": 6_000,
                "topic.metadata.refresh.interval.ms": 1_000,
            }
        )
        consumer.subscribe([f"workflow.jobs.{job_type}"])
        while not self._stopping.is_set():
            message = consumer.poll(_TICK)
            if message is None:
                continue
            if message.error():
                logger.warning("Kafka: %s", message.error())
                continue
            self._handle(message)
            consumer.commit(message=message, asynchronous=True)
        consumer.close()

    def _handle(self, message: Message) -> None:
        event = _read(message)
        if event is not None and self._seen.is_new(event.dedup_id):
            self._handling.run(event.job())


def _read(message: Message) -> DispatchEvent | None:
    try:
        return parse_event(message.value() or b"")
    except ValueError as error:
        logger.warning("message %s of %s is skipped: %s", message.offset(), message.topic(), error)
        return None
