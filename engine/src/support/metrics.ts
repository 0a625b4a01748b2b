// Every metric the engine exports, under the names the spec promises.
import { Counter, Gauge, Histogram, Registry } from "prom-client"
import { eventMetrics } from "./event-metrics.ts"
import { queueMetrics } from "./queue-metrics.ts"

/** Buckets for what lasts as long as its caller likes. */
const MINUTES = [1, 10, 30, 60, 120, 300, 600]
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

export type Metrics = ReturnType<typeof createMetrics>

/** One set per engine, so that several engines in one process (tests, benchmarks) do not share counters. */
export function createMetrics() {
  const registry = new Registry()
  const registers = [registry]
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter<L>({ name, help, labelNames: [...labelNames], registers })
  const histogram = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Histogram<L>({ name, help, labelNames: [...labelNames], buckets: SECONDS, registers })
  return {
    registry,
    definitionsUploaded: counter("workflow_definitions_uploaded_total", "Definition versions stored"),
    instancesStarted: counter("workflow_instances_started_total", "Instances started"),
    instancesCompleted: counter("workflow_instances_completed_total", "Instances ended, by outcome", ["outcome"]),
    stepsExecuted: counter("workflow_steps_executed_total", "Step executions ended, by step type", ["step_type"]),
    jobRetries: counter("job_retries_total", "Attempts that failed and were queued again"),
    jobLockConflicts: counter(
      "workflow_engine_job_lock_conflicts_total",
      "Polls that found nothing because every candidate was locked by another claim",
    ),
    jobEmptyPolls: counter("workflow_engine_job_empty_polls_total", "Polls that found no ready job"),
    jobPollLatency: histogram("workflow_engine_job_poll_latency_seconds", "Job creation to first claim"),
    jobPickupLatency: histogram("engine_job_pickup_latency_seconds", "Job creation to first claim"),
    jobTimeouts: counter(
      "engine_job_timeout_total",
      "Leases that ended without a report, and attempts that ran too long",
    ),
    transactionDuration: histogram("engine_db_transaction_duration_seconds", "Duration of a write transaction", [
      "tx_type",
    ]),
    lockWait: histogram("engine_db_lock_wait_duration_seconds", "Time spent waiting for an instance held elsewhere", [
      "operation",
    ]),
    httpDuration: histogram("http_requests_duration_seconds", "Duration of an HTTP request", [
      "method",
      "path",
      "status",
    ]),
    grpcDuration: histogram("grpc_requests_duration_seconds", "Duration of an RPC that is no stream", [
      "method",
      "status",
    ]),
    grpcStreamDuration: new Histogram({
      name: "grpc_streams_duration_seconds",
      help: "Duration of a stream, counted when it ends",
      labelNames: ["method", "status"],
      buckets: MINUTES,
      registers,
    }),
    batchSize: new Histogram({
      name: "engine_batch_size",
      help: "Requests fused into one transaction",
      labelNames: ["operation"],
      buckets: [1, 2, 5, 10, 20, 50, 100, 200, 500],
      registers,
    }),
    ...queueMetrics(registry),
    ...eventMetrics(registry),
    scheduleRuns: counter("engine_schedule_runs_total", "Ticks of schedules and runs by hand, by what became of them", [
      "outcome",
    ]),
    leader: new Gauge({
      name: "engine_leader",
      help: "1 where this process runs the loop",
      labelNames: ["loop"],
      registers,
    }),
  }
}
