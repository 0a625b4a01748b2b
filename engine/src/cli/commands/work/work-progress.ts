// How far a worker has come, told now and then at a terminal.
import type { Kernel } from "../../../operations/kernel/kernel.ts"
import { count } from "../../drawing/times.ts"

type Counters = Pick<Kernel["metrics"], "jobsProcessed" | "processedSteps" | "failedSteps">

interface Tally {
  readonly done: number
  /** Attempts, of which some are tried again. */
  readonly failed: number
}

const EVERY_JOBS = 100
const EVERY_MS = 60_000
/** Between two looks at the counters: lines come no faster, however many jobs end. */
const LOOK_MS = 10_000

export class WorkProgress {
  readonly #counters: Counters
  readonly #tell: (line: string) => void
  #timer: NodeJS.Timeout | undefined
  #told: Tally = { done: 0, failed: 0 }
  #toldAtMs: number

  constructor(counters: Counters, tell: (line: string) => void, nowMs = performance.now()) {
    this.#counters = counters
    this.#tell = tell
    this.#toldAtMs = nowMs
  }

  start(): void {
    this.#timer = setInterval(() => void this.look(performance.now()), LOOK_MS).unref()
  }

  /** Tells what was not told yet. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.look(Number.POSITIVE_INFINITY)
  }

  /** Tells the counts when enough has changed, or enough time has passed since something did. */
  async look(nowMs: number): Promise<void> {
    const now = await tallyOf(this.#counters)
    const more = now.done + now.failed - this.#told.done - this.#told.failed
    if (more === 0 || (more < EVERY_JOBS && nowMs - this.#toldAtMs < EVERY_MS)) return
    this.#told = now
    this.#toldAtMs = nowMs
    this.#tell(`${count(now.done)} done, ${count(now.failed)} failed`)
  }
}

async function tallyOf({ jobsProcessed, processedSteps, failedSteps }: Counters): Promise<Tally> {
  const [jobs, steps, badSteps] = await Promise.all([jobsProcessed.get(), processedSteps.get(), failedSteps.get()])
  const ended = (...statuses: readonly unknown[]) =>
    sum(jobs.values.filter(({ labels }) => statuses.includes(labels.status)))
  const failed = sum(badSteps.values)
  return { done: ended("completed") + sum(steps.values) - failed, failed: ended("failed", "dead") + failed }
}

const sum = (values: readonly { readonly value: number }[]): number =>
  values.reduce((total, { value }) => total + value, 0)
