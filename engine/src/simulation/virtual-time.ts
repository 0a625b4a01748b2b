// Time of a simulation: it passes when the simulation says so, and what falls due happens one by one.
import type { VirtualProcess } from "./virtual-process.ts"

/** Where time begins: a Monday, so that every seed sees the same weeks. */
export const EPOCH_MS = Date.UTC(2026, 0, 5, 8)

/** Work that a process has put off: a timer, or what is to be done in the next turn. */
export class Task {
  readonly process: VirtualProcess
  readonly #work: () => void
  isCleared = false

  constructor(process: VirtualProcess, work: () => void) {
    this.process = process
    this.#work = work
  }

  run(): void {
    if (!this.isCleared && this.process.isAlive) this.process.enter(this.#work)
  }
}

/** What `setTimeout` and `setInterval` answer in a virtual process. */
export class VirtualTimer extends Task {
  readonly time: VirtualTime
  readonly delayMs: number
  readonly repeats: boolean
  atMs = 0

  constructor(task: { process: VirtualProcess; work: () => void }, time: VirtualTime, when: When) {
    super(task.process, task.work)
    this.time = time
    this.repeats = when.repeats
    this.delayMs = Math.max(1, Math.ceil(Number.isFinite(when.ms) ? when.ms : 1))
    time.arm(this)
  }

  refresh(): this {
    this.time.arm(this)
    return this
  }

  ref = (): this => this
  unref = (): this => this
  hasRef = (): boolean => true
}

interface When {
  readonly ms: number
  readonly repeats: boolean
}

export class VirtualTime {
  #nowMs = 0
  /** In the order they were set. */
  readonly #timers = new Set<VirtualTimer>()
  #immediates: Task[] = []
  /** How far the database's clock is from the processes' own. */
  skewMs = 0

  get nowMs(): number {
    return this.#nowMs
  }

  get databaseMs(): number {
    return EPOCH_MS + this.#nowMs + this.skewMs
  }

  /** When the first timer falls due. */
  get nextMs(): number | undefined {
    return this.#first()?.atMs
  }

  pass(ms: number): void {
    this.#nowMs += ms
  }

  /** Runs the first of what was put off to the next turn, and says whether there was any. */
  runImmediate(): boolean {
    const next = this.#immediates.shift()
    next?.run()
    return next !== undefined
  }

  /** Runs the first timer, if it is due. */
  runTimer(): void {
    const first = this.#first()
    if (!first || first.atMs > this.#nowMs) return
    this.clear(first)
    if (first.repeats) this.arm(first)
    first.run()
  }

  /** Clears the timers of a process that has died. */
  forget(process: VirtualProcess): void {
    for (const timer of this.#timers) if (timer.process === process) this.clear(timer)
    this.#immediates = this.#immediates.filter((task) => task.process !== process)
  }

  /** Set again, a timer comes after those that were set before it. */
  arm(timer: VirtualTimer): void {
    this.clear(timer)
    timer.atMs = this.#nowMs + timer.delayMs
    this.#timers.add(timer)
  }

  clear(timer: VirtualTimer): void {
    this.#timers.delete(timer)
  }

  queue(task: Task): void {
    this.#immediates.push(task)
  }

  #first(): VirtualTimer | undefined {
    let first: VirtualTimer | undefined
    for (const timer of this.#timers) if (!first || timer.atMs < first.atMs) first = timer
    return first
  }
}
