// How far a worker has come, told now and then to whoever sits before it.
import type { Kernel } from "../../operations/kernel/kernel.ts"
import { count } from "./times.ts"

type Counters = Pick<Kernel["metrics"], "jobsProcessed" | "processedSteps" | "failedSteps">

interface Tally {
  readonly done: number
  /** Attempts, of which some are tried again. */
  readonly failed: number
}

const EVERY_JOBS = 100
const EVERY_MS = 60_000
/** Between two looks: however fast the jobs go by, lines come no faster. */
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

  /** With a last word about what was not told yet. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await this.look(Number.POSITIVE_INFINITY)
  }

  /** Nothing new is no news. */
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
