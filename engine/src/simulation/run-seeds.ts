// Deals seeds out to processes until there are none left, the time is over, or there are too many failures to go on.
import { type ChildProcess, fork } from "node:child_process"
import type { SimulateOptions } from "./options.ts"
import type { SeedResult } from "./run-seed.ts"
import type { SeedOrder, SeedReport } from "./seed-runner.ts"

const RUNNER = new URL(`seed-runner${import.meta.url.slice(import.meta.url.lastIndexOf("."))}`, import.meta.url)

/** A step leaves much behind that nobody needs after it: with 16 MB a sixth of the time went into looking through it. */
const ROOM_FOR_THE_YOUNG = "--max-semi-space-size=64"

/** `onResult` is called with each seed as it ends. */
export async function runSeeds(options: SimulateOptions, onResult: (result: SeedResult) => void): Promise<void> {
  const endsAt = Date.now() + options.minutes * 60_000
  let next = options.firstSeed
  let failures = 0
  const deal = (): SeedOrder | undefined => {
    const isOver = next >= options.firstSeed + options.seeds || Date.now() > endsAt || failures >= options.failures
    return isOver ? undefined : { seed: next++, trace: options.trace }
  }
  const note = (result: SeedResult) => {
    if (result.violations.length > 0) failures += 1
    onResult(result)
  }
  await Promise.all(Array.from({ length: options.processes }, () => runProcess(deal, note)))
}

/** Asks for the next seed when one is done; resolves when there is none and the process has ended. */
function runProcess(deal: () => SeedOrder | undefined, onResult: (result: SeedResult) => void): Promise<void> {
  const child: ChildProcess = fork(RUNNER, { execArgv: [...process.execArgv, ROOM_FOR_THE_YOUNG] })
  child.on("message", (report: SeedReport) => {
    if (!report.ready) onResult(report)
    const order = deal()
    if (order) child.send(order)
    else child.disconnect()
  })
  return new Promise((resolve, reject) => {
    child.on("error", reject)
    child.on("exit", (code) =>
      code === 0 ? resolve() : reject(new Error(`a process of the simulation ended with ${code}`)),
    )
  })
}
