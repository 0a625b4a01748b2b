// Runs a cell for tests: on an engine of its own, in this process, with a database from the template.
import { createWriteStream } from "node:fs"
import { type Result, runCell } from "../cell/run-cell.ts"
import { ENGINE_SETTINGS } from "../cell/settings.ts"
import { cells } from "../matrix.ts"
import { scenarios } from "../scenario.ts"
import { openRealEngine } from "./real-engine.ts"

export const running = scenarios.filter(({ open }) => open === undefined)

export async function runTestCell(name: string, through?: (dsn: string) => string): Promise<readonly Result[]> {
  const cell = cells.find((one) => one.name === name)
  if (!cell) throw new Error(`there is no cell ${name}`)
  const engine = await openRealEngine(ENGINE_SETTINGS, through)
  const log = createWriteStream("/dev/null")
  try {
    const urls = { rest: engine.url, grpc: engine.grpcUrl, metrics: engine.metricsUrl }
    return await runCell({ cell, urls, scenarios: running, log }, () => {})
  } finally {
    log.end()
    await engine.close()
  }
}
