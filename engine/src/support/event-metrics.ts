// The metrics of the outbox, and of dispatch through Kafka, which exist only where jobs are dispatched so. Gauges of the outbox are of
// the sink that is furthest behind, and 0 where there is none.
import { Counter, Gauge, Histogram, type Registry } from "prom-client"

export function eventMetrics(registry: Registry) {
  const registers = [registry]
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  return {
    eventsPublished: new Counter({
      name: "events_published_total",
      help: "Events that were published here",
      registers,
    }),
    eventsSent: new Counter({
      name: "events_sent_total",
      help: "What sinks said of events: sent, refused, failed, retry, unknown",
      labelNames: ["sink", "outcome"],
      registers,
    }),
    eventsRefused: new Counter({
      name: "events_refused_total",
      help: "Events that were not published because too many waited for their sinks",
      registers,
    }),
    outboxFill: gauge("outbox_fill_ratio", "Share of WE_OUTBOX_HIGH_WATERMARK that waits; at 1 publishing is refused"),
    eventsConsumed: new Counter({
      name: "events_consumed_total",
      help: "What became of events that consumers took: processed, repeated, queued, failed, dead",
      labelNames: ["consumer_group", "outcome"],
      registers,
    }),
    outboxDepth: gauge("outbox_depth", "Events that some sink has not had yet, at most; measured every 15 s"),
    outboxLag: gauge("outbox_lag_seconds", "Age of the oldest event that some sink has not had yet"),
    outboxParked: gauge("outbox_parked_events", "Events that a sink did not take, and those behind them"),
  }
}

export type DispatchMetrics = ReturnType<typeof dispatchMetrics>

/** Metrics of work that only polls cause. */
const POLLING = [
  "workflow_engine_job_lock_conflicts_total",
  "workflow_engine_job_empty_polls_total",
  "workflow_engine_job_poll_latency_seconds",
]

const PREFIX = "workflow_engine_dispatch"

export function dispatchMetrics(registry: Registry) {
  for (const name of POLLING) registry.removeSingleMetric(name)
  return { ...relayMetrics([registry]), ...kafkaMetrics([registry]) }
}

function relayMetrics(registers: Registry[]) {
  return {
    backlog: new Gauge({
      name: `${PREFIX}_outbox_backlog`,
      help: "Jobs that Kafka has not acknowledged yet: ready, or on their way; measured every 15 s",
      registers,
    }),
    published: new Counter({
      name: `${PREFIX}_relay_publish_total`,
      help: "Messages, by what became of them: written, retry, unknown, too-large, no-topic, refused",
      labelNames: ["result"],
      registers,
    }),
    batchLatency: new Histogram({
      name: `${PREFIX}_relay_batch_latency_seconds`,
      help: "From a claimed batch to its acknowledgements",
      buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    }),
    leader: new Gauge({ name: `${PREFIX}_relay_leader`, help: "1 where this process leads the relay", registers }),
  }
}

function kafkaMetrics(registers: Registry[]) {
  return {
    lostMessages: new Counter({
      name: `${PREFIX}_lost_messages_total`,
      help: "Places at which messages were found to be gone from their topic before they were read",
      registers,
    }),
    unusableOffsets: new Gauge({
      name: `${PREFIX}_unusable_offsets`,
      help: "Partitions whose group has committed an offset beyond the end of the topic",
      registers,
    }),
    producerErrors: new Counter({
      name: "workflow_engine_kafka_producer_errors_total",
      help: "Messages that were not written, by why",
      labelNames: ["code"],
      registers,
    }),
    consumerLag: new Gauge({
      name: "workflow_engine_kafka_consumer_lag_seconds",
      help: "Age of the oldest message that the group has not passed",
      labelNames: ["topic", "group", "partition"],
      registers,
    }),
  }
}
