"""A worker whose jobs come through Kafka, from an engine with WE_DISPATCH_MODE=kafka_outbox."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from millrace.client.engine_client import EngineClient
from millrace.errors import UsageError
from millrace.worker.handlers import Handler
from millrace.worker.kafka.options import Kafka, consumer_config, topic_of
from millrace.worker.registry import HandlerRegistry
from millrace.worker.report_lane import Ask
from millrace.worker.runner import Lane, Runner, StopResult
from millrace.worker.settings import RunnerOptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from millrace.worker.kafka.lane import KafkaLane, Source

_NEEDS = 'Kafka needs the packages of an extra: pip install "millrace[kafka]"'
#: Below the time after which brokers put a consumer out that does not poll.
_LONGEST_HAND_OVER = 240.0


class KafkaRunner(Runner):
    """Like Runner, with jobs from the topics `workflow.jobs.<jobType>`; outcomes go to the engine by the client given.

    The options are those of Runner. Its wait_seconds and poll_interval have no meaning here; mode is `exchange` or
    `poll` and says how reports go.
    """

    def __init__(
        self,
        client: EngineClient,
        handlers: HandlerRegistry | Mapping[str, Handler],
        *,
        kafka: Kafka,
        **options: Unpack[RunnerOptions],
    ) -> None:
        super().__init__(client, handlers, **options)
        if self.settings.mode == "stream":
            raise UsageError("jobs come through Kafka: mode is exchange or poll, which says how reports go")
        self._kafka = kafka
        self._topics = {job_type: topic_of(job_type) for job_type in self.settings.handlers.job_types()}
        _check_packages()

    async def _drain(self, timeout: float) -> StopResult:
        result = await super()._drain(timeout)
        await self._kafka_lane.close()
        return result

    def _ask(self) -> Ask | None:
        """Jobs are not asked for."""
        return None

    def _make_lane(self) -> Lane:
        from millrace.worker.kafka.lane import KafkaLane, KafkaLaneOptions

        bench = self._workbench
        options = KafkaLaneOptions(self.settings, self._clock, self._draining, self._slots, bench.terms, bench.run)
        self._kafka_lane = KafkaLane(options, self._open_sources)
        return self._kafka_lane

    def _open_sources(self, lane: KafkaLane) -> dict[str, Source]:
        from millrace.worker.kafka.consumer import ConsumerOptions, TopicConsumer

        s = self.settings
        return {
            topic: TopicConsumer(
                ConsumerOptions(
                    config=consumer_config(self._kafka, job_type, s.worker_id, s.lease_seconds),
                    topic=topic,
                    most=2 * s.concurrency,
                    patience=min(s.stop_timeout, _LONGEST_HAND_OVER),
                    loop=self._loop,
                    taker=lane,
                    logger=s.logger,
                    broken=self._broken,
                )
            )
            for job_type, topic in self._topics.items()
        }

    def _broken(self, error: BaseException) -> None:
        self.settings.logger.error("a consumer of Kafka broke: the worker stops", exc_info=error)
        self.request_stop()


def _check_packages() -> None:
    try:
        import confluent_kafka  # noqa: F401
        import google.protobuf.message  # noqa: F401
    except ImportError as error:
        raise UsageError(_NEEDS) from error
