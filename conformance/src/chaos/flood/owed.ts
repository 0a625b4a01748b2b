// What the lives of a worker before this one have done and have no verdict about.
import { type Line, readJournals } from "../journal.ts"
import type { Held } from "./lines.ts"

/** Looks back to the last life that came as far as writing down what it owes: one that did not has claimed nothing. */
export function owedBy(journals: string, worker: string, life: number): (readonly Held[])[] {
  for (let before = life - 1; before > 0; before--) {
    const lines = readJournals(journals, `${worker}-${String(before).padStart(5, "0")}`)
    if (lines.some(({ op }) => op === "begun")) return withoutVerdict(lines)
  }
  return []
}

export function withoutVerdict(lines: readonly Line[]): (readonly Held[])[] {
  const open = new Map<number, readonly Held[]>()
  for (const line of lines) {
    if (line.op === "begun") for (const [at, held] of line.owed.entries()) open.set(at + 1, held)
    if (line.op === "done") open.set(line.batch, line.jobs)
    if (line.op === "told") open.delete(line.batch)
  }
  return [...open.values()]
}
