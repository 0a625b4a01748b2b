// What an engine asks of its database while nothing happens, beyond what the process itself does by the second.
import { expect, vi } from "vitest"
import type { Kernel } from "../operations/kernel/kernel.ts"
import { countRows } from "./rows.ts"

/** The pulse, its gauges, and what the charts and alarms are made from. */
export const OF_THE_PROCESS =
  /^(pulse|depths|alerts|counter-series|worker-sightings)\.|^dead-letters\.countDeadLetters$/

/** One more fold may follow the last change: that an idle engine folds nothing has a test of its own. */
const FOLDS = /\bfoldDeltas\b/

/** How many times in a row an engine may still be seen finishing what it did before. */
const WINDOWS = 5

/**
 * Names of all other statements that an engine goes on asking at rest. What it still finishes from before (a claim that
 * looks once more, a late record of a worker) is over after a window; what it asks by itself is there in each of them.
 */
export async function askedWhileQuiet(kernel: Kernel, beats = 2): Promise<string[]> {
  let asked: string[] = []
  for (let window = 0; window < WINDOWS; window++) {
    asked = await askedDuring(kernel, beats)
    if (asked.length === 0) break
  }
  return asked
}

/** A transaction counts as one. */
async function askedDuring({ db }: Kernel, beats: number): Promise<string[]> {
  // The meter folds what was done before.
  await expect.poll(() => countRows(db, "depth_deltas")).toBe(0)
  const queries = vi.spyOn(db, "query")
  const transactions = vi.spyOn(db, "transaction")
  const names = () => queries.mock.calls.map(([{ name }]) => name)
  await expect.poll(() => names().filter((name) => name === "pulse.beat").length).toBeGreaterThan(beats)
  const others = transactions.mock.calls.map(String).filter((work) => !FOLDS.test(work))
  const asked = [...names().filter((name) => !OF_THE_PROCESS.test(name)), ...others]
  queries.mockRestore()
  transactions.mockRestore()
  return asked
}
