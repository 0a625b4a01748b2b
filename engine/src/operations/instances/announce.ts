// What follows the commit of a batch of plans: counting what happened, and telling the loops what falls due.
import type { Kernel } from "../kernel/kernel.ts"
import { METER_MS } from "../kernel/loops.ts"
import type { PlannedInstance } from "./apply-plans.ts"
import { endingsOf } from "./endings.ts"

/**
 * To be run after the commit. It is added up before: a batch waits for its commit while others are planned, and plans that were kept
 * until then would be copied by every collection of young objects, which was a quarter of Node's time.
 */
export function announcement(kernel: Kernel, all: readonly PlannedInstance[]): () => void {
  const counts = countAll(all)
  const dues = duesOf(all)
  const finished = all.filter(({ plan }) => plan.finish).map(({ id }) => id)
  return () => {
    report(kernel, counts)
    for (const [loop, dueInMs] of dues) kernel.nudge(loop, dueInMs)
    if (!endingsOf(kernel).isEmpty) for (const id of finished) endingsOf(kernel).tell(id)
  }
}

interface Counts {
  readonly steps: Map<string, number>
  readonly ends: Map<string, number>
  retries: number
  processed: number
  failed: number
}

/** Added up over the batch: a labelled counter costs more than the event it counts. */
function countAll(all: readonly PlannedInstance[]): Counts {
  const counts: Counts = { steps: new Map(), ends: new Map(), retries: 0, processed: 0, failed: 0 }
  for (const { plan } of all) {
    for (const { stepType, status } of plan.closedSteps) {
      add(counts.steps, stepType)
      if (stepType !== "SERVICE_TASK" || status === "SKIPPED") continue
      counts.processed += 1
      if (status === "FAILED") counts.failed += 1
    }
    for (const job of plan.requeuedJobs) if (!job.keepsToken) counts.retries += 1
    counts.retries += plan.spentRetries.length
    if (plan.finish) add(counts.ends, plan.finish.status)
  }
  return counts
}

const add = (counts: Map<string, number>, key: string) => counts.set(key, (counts.get(key) ?? 0) + 1)

function report({ metrics }: Kernel, { steps, ends, retries, processed, failed }: Counts): void {
  for (const [step_type, n] of steps) metrics.stepsExecuted.inc({ step_type }, n)
  for (const [outcome, n] of ends) metrics.instancesCompleted.inc({ outcome }, n)
  if (retries > 0) metrics.jobRetries.inc(retries)
  if (processed > 0) metrics.processedSteps.inc(processed)
  if (failed > 0) metrics.failedSteps.inc(failed)
}

type Loop = Parameters<Kernel["nudge"]>[0]

/** The earliest moment of each loop that the plans have something for. */
function duesOf(all: readonly PlannedInstance[]): ReadonlyMap<Loop, number> {
  const dues = new Map<Loop, number>()
  const due = (loop: Loop, inMs: number) => dues.set(loop, Math.min(inMs, dues.get(loop) ?? inMs))
  for (const { plan } of all) {
    if (plan.newJobs.length > 0 || plan.endedJobs.length > 0) due("meter", METER_MS)
    for (const { dueInMs } of plan.newTimers) due("timers", dueInMs)
    for (const { delayMs } of plan.requeuedJobs) if (delayMs) due("releaser", delayMs)
    if (plan.next) due("chains", 0)
    if (plan.ending) due("requests", 0)
  }
  return dues
}
