// Runs scenarios in a cell, many at once, and tells how each ended.
import type { Scenario } from "../scenario.ts"
import { type CellOrder, openCell } from "./open-cell.ts"
import { checkWire } from "./wire-check.ts"

export interface Result {
  readonly scenario: Scenario
  /** Undefined when it passed. */
  readonly fault: string | undefined
}

const AT_ONCE = 16

/** `onResult` hears of each as it ends. A program that does not open, drain or use its wire is the fault of all. */
export async function runCell(order: CellOrder, onResult: () => void): Promise<readonly Result[]> {
  const results: Result[] = []
  try {
    const open = await openCell(order)
    const waiting = bySlowness(order.scenarios)
    const runOne = async (scenario: Scenario) => {
      results.push({ scenario, fault: await faultOf(open.run(scenario)) })
      onResult()
    }
    const lane = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) await runOne(next)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, lane))
    await open.close()
    checkWire(order.cell, await (await fetch(`${order.urls.metrics}/metrics`)).text())
    return results
  } catch (error) {
    return order.scenarios.map((scenario) => ({ scenario, fault: messageOf(error) }))
  }
}

/** What takes longest comes first. */
const bySlowness = (scenarios: readonly Scenario[]): Scenario[] =>
  [...scenarios].sort((one, other) => Number(other.slow ?? false) - Number(one.slow ?? false))

const faultOf = (run: Promise<void>): Promise<string | undefined> => run.then(() => undefined, messageOf)

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
