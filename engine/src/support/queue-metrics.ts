// The metrics of the queue. A series that is missing until something happens cannot be told from one that stands still: all begin at 0.
import { Counter, Gauge, type Registry } from "prom-client"

const PRIORITIES = ["critical", "high", "normal"]
const GATES = [...PRIORITIES, "total"]
/** What came of an attempt of a standalone job. Only `failed` is not its end: it is tried again. */
const ENDS = ["completed", "failed", "dead", "cancelled"]

export function queueMetrics(registry: Registry) {
  const registers = [registry]
  const counter = (name: string, help: string) => new Counter({ name, help, registers })
  const gauge = (name: string, help: string) => new Gauge({ name, help, registers })
  const perGate = (name: string, help: string, priorities = GATES) => {
    const metric = new Gauge({ name, help, labelNames: ["priority"], registers })
    for (const priority of priorities) metric.set({ priority }, 0)
    return metric
  }
  return {
    queueDepth: perGate(
      "queue_depth",
      "Standalone jobs that are ready, delayed or leased; measured every 15 s",
      PRIORITIES,
    ),
    queueHighWatermark: perGate("queue_high_watermark", "Depth at which new jobs are refused"),
    queueLowWatermark: perGate("queue_low_watermark", "Depth below which they are taken again"),
    backpressureActive: perGate("backpressure_active", "1 while new jobs are refused"),
    backpressureRejections: counter("backpressure_rejections_total", "Jobs that were refused because a queue was full"),
    oldestWaiting: oldestWaiting(registers),
    jobsEnqueued: counter("jobs_enqueued_total", "Standalone jobs that were taken in"),
    jobsProcessed: jobsProcessed(registers),
    zombieJobsReaped: counter("zombie_jobs_reaped_total", "Jobs and steps taken back from workers that went silent"),
    heartbeatAge: gauge("queue_heartbeat_age_seconds", "Time since the least recently extended lease was extended"),
    heartbeatAgeLeases: gauge("queue_heartbeat_age_leases", "The same in lengths of its lease: above 1 it has ended"),
    deadLetters: gauge("dead_letters", "Dead letters of jobs and of steps, counted up to 100,000"),
    queuedSteps: gauge("workflows_queued_steps", "Steps that are ready for a worker, counted up to 100,000"),
    processedSteps: counter("workflows_processed_steps_total", "Steps that workers have ended, well or not"),
    failedSteps: counter("workflows_failed_steps_total", "Steps that failed for good"),
  }
}

function oldestWaiting(registers: Registry[]) {
  const help = "Age of the oldest job that is next in line in its queue; its kind is job or step"
  const metric = new Gauge({
    name: "queue_oldest_waiting_seconds",
    help,
    labelNames: ["priority", "kind"],
    registers,
  })
  for (const priority of PRIORITIES) for (const kind of ["job", "step"]) metric.set({ priority, kind }, 0)
  return metric
}

function jobsProcessed(registers: Registry[]) {
  const help = "Attempts of standalone jobs that ended: completed, failed (to be tried again), dead, cancelled"
  const metric = new Counter({ name: "jobs_processed_total", help, labelNames: ["status"], registers })
  for (const status of ENDS) metric.inc({ status }, 0)
  return metric
}
