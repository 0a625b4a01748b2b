"""A consumer of one job type's topic, in a thread of its own: a handler that blocks the runner's loop does not cost the
worker its partitions.

The thread polls, hands over, commits; it holds messages back while too many are here, and goes on polling, because a
consumer that does not poll is put out of its group.
"""

from __future__ import annotations

import asyncio
import concurrent.futures
import logging
import threading
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from confluent_kafka import Consumer, KafkaError, KafkaException, Message, TopicPartition

Partition = tuple[str, int]

#: Seconds; how soon the thread sees that there is something to commit, or that it shall stop.
_TICK = 0.1
_MAX_BATCH = 100
#: Ticks that it waits for room before it pauses: what was fetched ahead is dropped by a pause, and fetched again.
_TICKS_BEFORE_PAUSE = 10
#: Above what the lane waits for handlers, in case that it does not answer at all.
_LANE_ANSWERS_WITHIN = 5.0


class Taker(Protocol):
    """Where messages go; called in the runner's event loop."""

    def received(self, messages: Sequence[Message]) -> None: ...

    def revoked(self, partitions: Sequence[Partition]) -> Coroutine[Any, Any, dict[int, int]]: ...

    def lost(self, partitions: Sequence[Partition]) -> None: ...


@dataclass(frozen=True)
class ConsumerOptions:
    config: dict[str, Any]
    topic: str
    #: Messages that may be here and not handled; those above the places wait, so that no place is empty for long.
    most: int
    #: Seconds that the lane may take to give partitions up.
    patience: float
    loop: asyncio.AbstractEventLoop
    taker: Taker
    logger: logging.Logger
    #: The thread broke down.
    broken: Callable[[BaseException], None]


class TopicConsumer:
    def __init__(self, options: ConsumerOptions) -> None:
        self._o = options
        self._lock = threading.Condition()
        self._here = 0
        self._to_commit: dict[int, int] = {}
        self._resting = False
        self._batch: list[Message] = []
        self._held: set[int] = set()
        self._closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"millrace-{options.topic}", daemon=True)
        # Made here, so that wrong settings are told to the caller.
        own = {"error_cb": self._told, "on_commit": self._committed, "logger": options.logger}
        self._consumer = Consumer({**options.config, **own})

    def start(self) -> None:
        self._thread.start()

    def handled(self, partition: int, position: int | None) -> None:
        with self._lock:
            self._here -= 1
            self._lock.notify()
            if position is not None:
                self._to_commit[partition] = position

    def rest(self) -> None:
        self._resting = True

    async def close(self) -> None:
        self._closing.set()
        if self._thread.ident is not None:
            await asyncio.get_running_loop().run_in_executor(None, self._thread.join)

    def _run(self) -> None:
        try:
            self._consumer.subscribe([self._o.topic], on_revoke=self._revoked, on_lost=self._lost)
            while not self._closing.is_set():
                self._hold_or_go_on()
                self._poll()
                self._hand_over()
                self._commit()
            self._close()
        except Exception as error:
            self._in_loop(self._o.broken, error)

    def _poll(self) -> None:
        """Waits for one message, and takes those that are here already."""
        room = min(_MAX_BATCH, self._room())
        message = self._consumer.poll(_TICK)
        while message is not None:
            self._take(message)
            message = self._consumer.poll(0) if len(self._batch) < room else None

    def _take(self, message: Message) -> None:
        if (error := message.error()) is None:
            self._batch.append(message)
        else:
            self._o.logger.warning("Kafka has a trouble with %s: %s", self._o.topic, error)

    def _hand_over(self) -> None:
        batch, self._batch = self._batch, []
        if batch:
            with self._lock:
                self._here += len(batch)
            self._in_loop(self._o.taker.received, batch)

    def _room(self) -> int:
        with self._lock:
            return 0 if self._resting else self._o.most - self._here

    def _hold_or_go_on(self) -> None:
        """Partitions may come while others are held."""
        assigned = {partition.partition for partition in self._consumer.assignment()}
        self._held &= assigned
        if not self._has_room():
            self._consumer.pause([TopicPartition(self._o.topic, number) for number in assigned - self._held])
            self._held = assigned
        elif self._held and self._room() >= self._o.most // 2:
            self._consumer.resume([TopicPartition(self._o.topic, number) for number in self._held])
            self._held = set()

    def _has_room(self) -> bool:
        ticks = 0 if self._held else _TICKS_BEFORE_PAUSE
        while ticks > 0 and self._room() <= 0 and not self._resting:
            with self._lock:
                self._lock.wait(_TICK)
            self._commit()
            ticks -= 1
        return self._room() > 0

    def _commit(self) -> None:
        positions = self._take_positions()
        if positions:
            self._consumer.commit(offsets=self._offsets(positions), asynchronous=True)

    def _take_positions(self) -> dict[int, int]:
        with self._lock:
            positions, self._to_commit = self._to_commit, {}
        return positions

    def _offsets(self, positions: dict[int, int]) -> list[TopicPartition]:
        return [TopicPartition(self._o.topic, partition, offset) for partition, offset in positions.items()]

    def _committed(self, error: KafkaError | None, offsets: list[TopicPartition]) -> None:
        """What failed goes with the next, unless that is further on."""
        if error is None or error.code() == KafkaError._NO_OFFSET:
            return
        self._o.logger.warning("Kafka did not take a commit for %s: %s", self._o.topic, error)
        with self._lock:
            for offset in offsets:
                if error.retriable():
                    self._to_commit.setdefault(offset.partition, offset.offset)

    def _revoked(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        """What is confirmed is committed before another worker goes on from there."""
        self._hand_over()
        places = [(partition.topic, partition.partition) for partition in partitions]
        confirmed = self._ask_lane(places)
        with self._lock:
            for _, number in places:
                self._to_commit.pop(number, None)
        if confirmed:
            try:
                consumer.commit(offsets=self._offsets(confirmed), asynchronous=False)
            except KafkaException as error:
                self._o.logger.warning("a last commit for %s failed: %s", self._o.topic, error)

    def _ask_lane(self, places: list[Partition]) -> dict[int, int]:
        answer = asyncio.run_coroutine_threadsafe(self._o.taker.revoked(places), self._o.loop)
        try:
            return answer.result(self._o.patience + _LANE_ANSWERS_WITHIN)
        except concurrent.futures.TimeoutError:
            self._o.logger.warning("partitions of %s leave while the event loop is blocked", self._o.topic)
            return {}

    def _lost(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        del consumer
        self._hand_over()
        places = [(partition.topic, partition.partition) for partition in partitions]
        with self._lock:
            for _, number in places:
                self._to_commit.pop(number, None)
        self._in_loop(self._o.taker.lost, places)

    def _close(self) -> None:
        self._commit()
        # Revokes what is left, which commits once more, and leaves the group.
        self._consumer.close()

    def _told(self, error: KafkaError) -> None:
        self._o.logger.warning("Kafka: %s", error.str())

    def _in_loop(self, call: Callable[..., object], *arguments: object) -> None:
        try:
            self._o.loop.call_soon_threadsafe(call, *arguments)
        except RuntimeError:
            # The loop was closed: the process ends, and another worker gets the messages.
            self._closing.set()
