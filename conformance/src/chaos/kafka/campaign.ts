// The mode of dispatch over a run: switched twice under load, one process after the other, while the kills go on.
import { setTimeout as sleep } from "node:timers/promises"
import type { Database } from "../../../../engine/dist/db/database.js"
import type { Slot } from "../nodes.ts"
import type { DispatchMode } from "./dispatch-mode.ts"

/** Up to which share of the kills each mode lasts. */
const PLAN: readonly { readonly mode: DispatchMode; readonly until: number }[] = [
  { mode: "polling", until: 0.25 },
  { mode: "kafka_outbox", until: 0.75 },
  { mode: "polling", until: 1 },
]

const AT_WORK = 30
const FLOWS = 10
const STUCK_AFTER_MS = 90_000
const STOP_WITHIN_MS = 60_000

interface Field {
  readonly db: Database
  readonly slots: readonly Slot[]
  readonly violations: string[]
}

export class Campaign {
  readonly #field: Field
  /** The processes that have a mode of dispatch. Workers serve both modes all the time. */
  readonly #engines: readonly Slot[]
  #phase = 0
  #begunAt = new Date()
  #brokenAt = this.#begunAt

  constructor(field: Field) {
    this.#field = field
    this.#engines = field.slots.filter(({ role }) => role === "engine" || role === "server")
  }

  get mode(): DispatchMode {
    return PLAN[this.#phase]?.mode ?? "polling"
  }

  get switches(): number {
    return this.#phase
  }

  /** `share` of the kills is done. One process at a time changes its mode; a kill may change that of others meanwhile. */
  async advance(share: number): Promise<void> {
    if (share >= (PLAN[this.#phase]?.until ?? 1) && this.#phase < PLAN.length - 1 && !this.#nextToChange) {
      await this.untilAtWork(AT_WORK)
      this.#beginNext()
    }
    const slot = this.#nextToChange
    if (slot) await this.#change(slot)
  }

  /** The last mode is that of every process, and has seen work. */
  async finish(): Promise<void> {
    while (this.#phase < PLAN.length - 1 || this.#nextToChange) await this.advance(1)
    await this.untilAtWork(AT_WORK)
  }

  /** Until so much was completed in this mode, since it began or since a moment after. */
  async untilAtWork(enough: number, since = this.#begunAt): Promise<void> {
    const via = this.mode === "polling" ? "polled" : "kafka"
    let [most, movedAt] = [0, performance.now()]
    while (most < enough) {
      await sleep(100)
      const done = await completedVia(this.#field.db, via, since).catch(() => most)
      if (done > most) [most, movedAt] = [done, performance.now()]
      if (performance.now() < movedAt + STUCK_AFTER_MS) continue
      this.#field.violations.push(
        `L1: only ${most} jobs were completed in mode ${this.mode} since ${since.toISOString()}`,
      )
      return
    }
  }

  /** Until jobs come through Kafka again: what stands still for want of its workers, broker or database is not worth a kill. */
  async untilFlowing(): Promise<void> {
    if (this.mode === "kafka_outbox" && !this.#nextToChange) await this.untilAtWork(FLOWS, this.#brokenAt)
  }

  /** Something was killed without which no job comes through Kafka for a while. */
  broken(): void {
    this.#brokenAt = new Date()
  }

  get #nextToChange(): Slot | undefined {
    return this.#engines.find(({ runsIn }) => runsIn !== this.mode)
  }

  #beginNext(): void {
    this.#phase += 1
    this.#begunAt = this.#brokenAt = new Date()
    for (const slot of this.#engines) slot.nextMode = this.mode
  }

  async #change(slot: Slot): Promise<void> {
    await slot.ready
    if (!(await slot.stop(STOP_WITHIN_MS)))
      this.#field.violations.push(`F13: ${slot.name} did not stop by itself within ${STOP_WITHIN_MS} ms`)
    slot.start()
  }
}

async function completedVia(db: Database, via: "polled" | "kafka", since: Date): Promise<number> {
  const [row] = await db.script(`select count(*) as done from millrace.history h
    join public.chaos_effects e on e.instance_id = h.instance_id and e.execution = h.execution and e.attempt = h.epoch
    where h.status = 'COMPLETED' and e.via = '${via}' and h.ended_at >= '${since.toISOString()}'`)
  return Number(row?.done)
}
