// What follows when attempts at standalone jobs have ended, after the commit: those who wait for a job are told, and the place that
// it held, with its downstream and under its limit, goes to another.

import { refillLimits } from "../../flow/fill-limits.ts"
import { openQueuesOf } from "../../flow/open-queues.ts"
import { endingsOf } from "../../instances/endings.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { METER_MS } from "../../kernel/loops.ts"

interface HeldPlace {
  readonly queue_id: number
  readonly limit_key: string | null
  readonly downstream: string | null
}

/** The jobs that are over and are not tried again. */
interface Over<Job> {
  readonly jobs: readonly Job[]
  readonly status: "completed" | "dead" | "cancelled"
  /** Asked only where a caller of this process waits: a batch of completions makes no list of its ids. */
  readonly idOf: (job: Job) => string
}

export function announceEnds<Job extends HeldPlace>(kernel: Kernel, jobs: readonly Job[], over: Over<Job>): void {
  const endings = endingsOf(kernel)
  if (!endings.isEmpty) for (const job of over.jobs) endings.tell(over.idOf(job))
  kernel.metrics.jobsProcessed.inc({ status: over.status }, over.jobs.length)
  const paced = jobs.filter((job) => job.downstream !== null)
  openQueuesOf(kernel).freed(paced.map((job) => job.queue_id))
  refillLimits(
    kernel,
    jobs.map((job) => job.limit_key),
  )
  kernel.nudge("meter", METER_MS)
}
