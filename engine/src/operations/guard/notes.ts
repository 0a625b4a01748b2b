// What the guard did in this process since the last flush, for charts and reports: added to rows that all processes share. A crash loses
// a second of it, and nothing is decided by it.
import type { ShadowEvent, Verdict } from "@millrace/guard"
import { addNotes, type ShadowNote, type VerdictCounts } from "../../store/guard/notes.ts"
import { type Kernel, perKernel } from "../kernel/kernel.ts"

/** In an hour. Callers choose their addresses: of too many the rest is one row for each rule. */
const MOST_ROWS = 5_000
const HOUR_MS = 3_600_000
const OTHERS = "(others)"

const COUNTER: Readonly<Record<Verdict["state"], keyof VerdictCounts>> = {
  allowed: "allowed",
  throttled: "throttled",
  "soft-blocked": "softBlocked",
  "hard-blocked": "hardBlocked",
}

const nothing = (): Record<keyof VerdictCounts, number> => ({
  allowed: 0,
  throttled: 0,
  softBlocked: 0,
  hardBlocked: 0,
  shadowed: 0,
})

type Row = Omit<ShadowNote, "id">

export class GuardNotes {
  #counts = nothing()
  #rows = new Map<string, Row>()
  /** The rows of this hour, those that were written included. */
  #known = new Set<string>()
  #hour = 0

  count(state: Verdict["state"]): void {
    this.#counts[COUNTER[state]] += 1
  }

  addShadowed({ rule, client, path, requestId, reason, at }: ShadowEvent): void {
    this.#counts.shadowed += 1
    this.#turnHour(at.getTime())
    const row = this.#rowFor(rule, client, path)
    this.#rows.set(row.key, {
      rule,
      client: row.client,
      path: row.path,
      times: (this.#rows.get(row.key)?.times ?? 0) + 1,
      request_id: requestId,
      reason,
    })
  }

  #turnHour(atMs: number): void {
    const hour = Math.floor(atMs / HOUR_MS)
    if (hour !== this.#hour) this.#known.clear()
    this.#hour = hour
  }

  #rowFor(rule: string, client: string, path: string) {
    const key = JSON.stringify([rule, client, path])
    if (this.#known.size < MOST_ROWS) this.#known.add(key)
    if (this.#known.has(key)) return { key, client, path }
    return { key: JSON.stringify([rule, OTHERS, OTHERS]), client: OTHERS, path: OTHERS }
  }

  /** What could not be written is kept for the next flush. */
  async flush({ db, newId }: Pick<Kernel, "db" | "newId">): Promise<void> {
    const counts = this.#counts
    const rows = this.#rows
    if (Object.values(counts).every((count) => count === 0)) return
    this.#counts = nothing()
    this.#rows = new Map()
    try {
      await addNotes(db.aside, { counts, events: [...rows.values()].map((row) => ({ id: newId(), ...row })) })
    } catch (error) {
      this.#putBack(counts, rows)
      throw error
    }
  }

  #putBack(counts: VerdictCounts, rows: ReadonlyMap<string, Row>): void {
    for (const name of Object.values(COUNTER)) this.#counts[name] += counts[name]
    this.#counts.shadowed += counts.shadowed
    for (const [key, row] of rows) {
      const since = this.#rows.get(key)
      this.#rows.set(key, since ? { ...since, times: since.times + row.times } : row)
    }
  }
}

export const guardNotesOf = perKernel(() => new GuardNotes())
