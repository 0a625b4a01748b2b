// The metrics of the outbox. The gauges are of the sink that is furthest behind, and 0 where there is none.
import { Counter, Gauge, type Registry } from "prom-client"

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
