// What went through each part of the queue since the last flush: taken in and refused by door, handed out by priority and by
// downstream. Kept in memory, and written with the counter series.

import type { Priority } from "../../model/definitions/definition.ts"
import type { Door } from "../../model/flow/doors.ts"
import type { FlowCount, FlowPart } from "../../store/observability/counter-series.ts"

/** What a claim has handed out: the queue says whose it was. */
interface HandedOut {
  readonly priority: Priority
  /** Empty where the job names none. */
  readonly downstream: string
}

export class FlowCounts {
  #counts = new Map<string, FlowCount>()

  /** One piece of work for each door of the list; work that the engine makes itself comes by no door. */
  accept(doors: Iterable<Door | undefined>): void {
    const jobs = new Map<Door, number>()
    for (const door of doors) if (door !== undefined) jobs.set(door, (jobs.get(door) ?? 0) + 1)
    for (const [name, count] of jobs) this.#add({ part: "accepted", name, jobs: count })
  }

  refuse(door: Door | undefined): void {
    if (door !== undefined) this.#add({ part: "refused", name: door, jobs: 1 })
  }

  handOut({ priority, downstream }: HandedOut, jobs: number): void {
    this.#add({ part: "claimed", name: priority, jobs })
    if (downstream !== "") this.#add({ part: "started", name: downstream, jobs })
  }

  take(): readonly FlowCount[] {
    const counts = [...this.#counts.values()]
    this.#counts = new Map()
    return counts
  }

  /** What could not be written waits for the next flush. */
  putBack(counts: readonly FlowCount[]): void {
    for (const count of counts) this.#add(count)
  }

  #add({ part, name, jobs }: FlowCount): void {
    const key = placeOf(part, name)
    const before = this.#counts.get(key)
    this.#counts.set(key, { part, name, jobs: jobs + (before?.jobs ?? 0) })
  }
}

const placeOf = (part: FlowPart, name: string): string => `${part} ${name}`
