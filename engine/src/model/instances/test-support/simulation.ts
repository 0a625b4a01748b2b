// A world under play: what the events share, and the checks around each of them.
import type { JsonObject } from "../../../support/json.ts"
import { checkInvariants, checkMove } from "./invariants.ts"
import { must } from "./must.ts"
import type { JobRow, TimerRow } from "./tables.ts"
import type { Item, Verdict, World } from "./world.ts"

/** How often what happened, so that a simulation which proves nothing is noticed. */
export type Tally = Map<string, number>

export class Simulation {
  readonly world: World
  readonly tally: Tally
  /** Reports that were accepted: they may come again. */
  readonly accepted: Item[] = []
  /** Timers that once were there. */
  readonly timersSeen: TimerRow[] = []

  constructor(world: World, tally: Tally) {
    this.world = world
    this.tally = tally
  }

  start(): void {
    this.world.start()
    this.#look()
  }

  /** One event, and everything that must hold after it. */
  run(event: () => void): void {
    const { tables } = this.world
    const before = tables.instance.status
    const retries = tables.audit.length
    this.count("event")
    event()
    const byRetry = tables.audit.slice(retries).some((entry) => entry.kind === "STEP_RETRIED")
    checkMove(before, tables.instance.status, byRetry)
    this.#look()
  }

  #look(): void {
    checkInvariants(this.world)
    for (const timer of this.world.tables.timers.values()) if (this.timersSeen.length < 40) this.timersSeen.push(timer)
  }

  count(what: string): void {
    this.tally.set(what, (this.tally.get(what) ?? 0) + 1)
  }

  jobs(status: JobRow["status"]): JobRow[] {
    return [...this.world.tables.jobs.values()].filter((job) => job.status === status)
  }

  dueTimers(): TimerRow[] {
    return [...this.world.tables.timers.values()].filter((timer) => timer.dueAt <= this.world.nowMs)
  }

  /** Mostly of open steps, so that something happens. */
  stepIds(type: string, roll: number): string[] {
    const { definition, tables } = this.world
    const open = tables.instance.state.open
      .map((step) => definition.step(step.stepId))
      .filter((step) => step.type === type)
    const all = definition.definition.steps.filter((step) => step.type === type)
    return (open.length > 0 && roll < 80 ? open : all).map((step) => step.id)
  }

  /** One event in a transaction of its own: whether it counts is known beforehand. */
  alone(item: Item, counts: boolean, id: string): Verdict {
    const { writes } = this.world.tables
    const verdict = this.world.transact(item)[0] as Verdict
    must(id, (verdict === "counted") === counts, () => `the event was ${String(verdict)}, expected to count: ${counts}`)
    must(id, counts || this.world.tables.writes === writes, () => "an event that does not count was written")
    return verdict
  }
}

/** `pick` says which of the candidates, `roll` (0 to 99) how it goes. */
export type Play = (simulation: Simulation, pick: number, roll: number) => void

export const at = <T>(list: readonly T[], pick: number): T | undefined => list[pick % Math.max(1, list.length)]

export function deltaOf(pick: number, roll: number): JsonObject | undefined {
  if (roll % 4 === 0) return undefined
  if (roll % 23 === 0) return { v0: "odd", n: null }
  return { [`v${pick % 4}`]: roll % 3, [`k${pick % 5}`]: { by: roll } }
}
