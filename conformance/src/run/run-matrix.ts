// Runs the planned cells, some at a time: builds the programs first, then an engine and a program for each cell.
import { createWriteStream } from "node:fs"
import { join } from "node:path"
import { type Result, runCell } from "../scenarios/cell/run-cell.ts"
import { buildProgram } from "../scenarios/control/programs.ts"
import { jobTypesOf } from "../scenarios/job-types.ts"
import type { Sdk } from "../scenarios/matrix.ts"
import { type Hosting, openHosting } from "./databases.ts"
import type { Plan } from "./plan.ts"
import type { Progress } from "./progress.ts"

export interface CellResult extends Plan {
  /** Why it did not run at all. */
  readonly notRun: string | undefined
  readonly results: readonly Result[]
  readonly seconds: number
}

interface Run {
  readonly folder: string
  readonly jobs: number
  readonly progress: Progress
}

export async function runMatrix(plans: readonly Plan[], run: Run): Promise<readonly CellResult[]> {
  const missing = await buildAll(plans, run.progress)
  const hosting = await openHosting(run.folder)
  try {
    return await inLanes(plans, run.jobs, (plan) => runOne(plan, { ...run, hosting, missing }))
  } finally {
    await hosting.close()
  }
}

/** Why the program of an SDK cannot be built, for those where it cannot. */
async function buildAll(plans: readonly Plan[], progress: Progress): Promise<ReadonlyMap<Sdk, string>> {
  const missing = new Map<Sdk, string>()
  for (const sdk of new Set(plans.filter(({ cell }) => !cell.open).map(({ cell }) => cell.sdk))) {
    progress.say(`building the program of ${sdk}`)
    const reason = await buildProgram(sdk)
    if (reason) missing.set(sdk, reason)
  }
  return missing
}

interface Place extends Run {
  readonly hosting: Hosting
  readonly missing: ReadonlyMap<Sdk, string>
}

async function runOne(plan: Plan, { hosting, missing, folder, progress }: Place): Promise<CellResult> {
  const { cell, scenarios } = plan
  const notRun = cell.open ?? missing.get(cell.sdk)
  if (notRun || scenarios.length === 0) return { ...plan, notRun: notRun ?? "no scenario", results: [], seconds: 0 }
  const startedAt = performance.now()
  const dispatched = cell.mode === "kafka" ? jobTypesOf(scenarios) : undefined
  const engine = await hosting.openEngine({ cli: plan.engine, dispatched })
  const log = createWriteStream(join(folder, `${cell.name.replaceAll(/\W+/g, "-")}.log`))
  try {
    const order = { cell, scenarios, program: plan.program, urls: engine.urls, brokers: engine.brokers, log }
    const results = await runCell(order, () => progress.step(cell.name))
    const seconds = (performance.now() - startedAt) / 1_000
    progress.cellDone(cell.name, results.filter(({ fault }) => fault).length)
    return { ...plan, notRun: undefined, results, seconds }
  } finally {
    await engine.stop()
    log.end()
  }
}

async function inLanes<T, R>(items: readonly T[], lanes: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  let next = 0
  const lane = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at]!)
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return results
}
