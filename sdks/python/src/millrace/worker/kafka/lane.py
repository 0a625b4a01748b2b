"""Runs what the consumers bring: in order for each key, as places are free, and says which messages are handled.

A message is handled when the engine has answered its report, or has said that the job is no longer this worker's. Only
then its id is remembered and its offset may be committed. One of which nothing was reported is run again.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from millrace.backoff import backoff
from millrace.errors import MillraceError
from millrace.worker.bell import Bell
from millrace.worker.cancellation import Cancellation, LeaseLost
from millrace.worker.claim import ENDLESS, Claim
from millrace.worker.clock import Clock, sleep
from millrace.worker.kafka.delivery import Delivery, Turns
from millrace.worker.kafka.dispatch import Dispatch, Message, Undecodable, read_dispatch
from millrace.worker.kafka.fetch_variables import fetch_variables
from millrace.worker.kafka.seen_ids import SeenIds
from millrace.worker.kafka.tenure import Tenure
from millrace.worker.lease import LeaseTerms, is_lost
from millrace.worker.settings import RunnerSettings
from millrace.worker.slots import Slots

Partition = tuple[str, int]


class Source(Protocol):
    """A consumer of one topic."""

    def start(self) -> None: ...

    def handled(self, partition: int, position: int | None) -> None:
        """One message less is here; `position` may be committed."""

    def rest(self) -> None:
        """No more messages; it stays in its group, and commits."""

    async def close(self) -> None: ...


@dataclass(frozen=True)
class KafkaLaneOptions:
    settings: RunnerSettings
    clock: Clock
    #: Set when no more work is wanted.
    stopping: asyncio.Event
    slots: Slots
    terms: LeaseTerms
    run: Callable[[Claim], Cancellation]


class KafkaLane:
    """Lives in the runner's event loop; the consumers call it there."""

    def __init__(self, options: KafkaLaneOptions, open_sources: Callable[[KafkaLane], dict[str, Source]]) -> None:
        self._o = options
        self._seen = SeenIds(options.clock)
        self._tenures: dict[Partition, Tenure] = {}
        self._turns: Turns[Delivery] = Turns()
        self._ready: deque[Delivery] = deque()
        self._running: set[Delivery] = set()
        #: Each will need a place once the variables are here.
        self._fetching: set[asyncio.Future[None]] = set()
        self._changed = Bell()
        self._closed = asyncio.Event()
        #: By topic.
        self._sources = open_sources(self)

    async def run(self) -> None:
        """Until it is cancelled: then no more is started, and what runs may still be committed."""
        for source in self._sources.values():
            source.start()
        try:
            await asyncio.Event().wait()
        finally:
            for source in self._sources.values():
                source.rest()

    async def close(self) -> None:
        """Leaves the groups; what is not handled is delivered to another worker."""
        self._closed.set()
        await asyncio.gather(*(source.close() for source in self._sources.values()))

    def wake(self) -> None:
        """Places may be free."""
        while self._ready and self._o.slots.free > len(self._fetching) and not self._o.stopping.is_set():
            self._begin(self._ready.popleft())

    def received(self, messages: Sequence[Message]) -> None:
        for message in messages:
            self._receive(message)
        self.wake()

    async def revoked(self, partitions: Sequence[Partition]) -> dict[int, int]:
        """Handlers may end first, for as long as at a stop; then they are told to. Returns what may be committed."""
        leaving = [self._tenures[partition] for partition in partitions if partition in self._tenures]
        for tenure in leaving:
            tenure.closing = True
        await self._until_idle(leaving)
        positions = {tenure.partition: tenure.position for tenure in leaving}
        self.lost(partitions)
        return {partition: position for partition, position in positions.items() if position is not None}

    def lost(self, partitions: Sequence[Partition]) -> None:
        """They are another worker's already, or from now on."""
        for partition in partitions:
            if tenure := self._tenures.pop(partition, None):
                self._end(tenure)

    def _receive(self, message: Message) -> None:
        topic, partition, offset = message.topic() or "", message.partition() or 0, message.offset() or 0
        tenure = self._tenures.setdefault((topic, partition), Tenure(topic, partition))
        tenure.received(offset)
        try:
            dispatch = read_dispatch(message.value())
        except Undecodable as error:
            where = (offset, partition, topic, error)
            self._o.settings.logger.error("message %d of partition %d of %s is skipped: %s", *where)
            self._handled(tenure, offset)
            return
        key = (topic, message.key() or dispatch.dedup_id.encode())
        delivery = Delivery(tenure, offset, key, dispatch)
        if self._turns.join(key, delivery):
            self._ready.append(delivery)

    def _begin(self, delivery: Delivery) -> None:
        if delivery.tenure.closing or delivery.tenure.over:
            self._leave(delivery)
        elif delivery.dispatch.dedup_id in self._seen:
            self._done(delivery)
        else:
            self._start(delivery)

    def _start(self, delivery: Delivery) -> None:
        job, now = delivery.dispatch.job, self._o.clock.now()
        span = self._o.terms.span(now, now) if job.lease_token else ENDLESS
        delivery.tries += 1
        if delivery.dispatch.lacks_variables:
            self._fetching.add(asyncio.ensure_future(self._complement(delivery)))
            return
        self._running.add(delivery)
        claim = Claim(job, span, lambda confirmed: self._ended(delivery, confirmed), lasting=True)
        delivery.running = self._o.run(claim)

    async def _complement(self, delivery: Delivery) -> None:
        """It runs when its variables are here, and a place is free then."""
        job = delivery.dispatch.job
        try:
            variables = await fetch_variables(self._o.settings, job)
            delivery.dispatch = Dispatch(delivery.dispatch.dedup_id, replace(job, variables=variables))
            self._ready.append(delivery)
        except MillraceError as error:
            self._o.settings.logger.warning("the variables of job %s could not be fetched: %s", job.id, error)
            self._ended(delivery, confirmed=is_lost(error))
        finally:
            self._fetching = {one for one in self._fetching if one is not asyncio.current_task()}
            self.wake()

    def _ended(self, delivery: Delivery, confirmed: bool) -> None:
        self._running.discard(delivery)
        delivery.running = None
        if confirmed:
            self._seen.add(delivery.dispatch.dedup_id)
            self._done(delivery)
        elif delivery.tenure.closing or self._o.stopping.is_set():
            self._leave(delivery)
        else:
            self._try_again_later(delivery)
        self._changed.ring()

    def _try_again_later(self, delivery: Delivery) -> None:
        pause = backoff(delivery.tries)
        job = delivery.dispatch.job
        self._o.settings.logger.warning("nothing was reported of job %s, running it again in %.1f s", job.id, pause)

        def again() -> None:
            self._ready.append(delivery)
            self.wake()

        self._o.clock.after(pause, again)

    def _done(self, delivery: Delivery) -> None:
        self._handled(delivery.tenure, delivery.offset)
        self._next(delivery)

    def _leave(self, delivery: Delivery) -> None:
        """Not handled here: its offset stays open."""
        self._sources[delivery.tenure.topic].handled(delivery.tenure.partition, None)
        self._next(delivery)

    def _next(self, delivery: Delivery) -> None:
        following = self._turns.leave(delivery.key)
        if following is not None:
            self._ready.append(following)
            self.wake()

    def _handled(self, tenure: Tenure, offset: int) -> None:
        tenure.handled(offset)
        self._sources[tenure.topic].handled(tenure.partition, None if tenure.over else tenure.position)

    async def _until_idle(self, tenures: Sequence[Tenure]) -> None:
        patience = asyncio.ensure_future(sleep(self._o.clock, self._o.settings.stop_timeout, self._closed))
        while not patience.done() and any(delivery.tenure in tenures for delivery in self._running):
            change = asyncio.ensure_future(self._changed.next())
            await asyncio.wait({patience, change}, return_when=asyncio.FIRST_COMPLETED)
            change.cancel()
        patience.cancel()

    def _end(self, tenure: Tenure) -> None:
        tenure.closing = tenure.over = True
        for delivery in [running for running in self._running if running.tenure is tenure]:
            if delivery.running is not None:
                delivery.running.fire(LeaseLost(f"partition {tenure.partition} is another worker's now"))
        # What waits for its turn leaves its line at once, and frees its place in the consumer.
        self.wake()
