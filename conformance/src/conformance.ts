// The conformance run: `npm run conformance`.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { HELP, readOptions } from "./run/options.ts"
import { drawPage, PAGE } from "./run/page.ts"
import { planRun } from "./run/plan.ts"
import { openPrevious } from "./run/previous.ts"
import { Progress } from "./run/progress.ts"
import { runMatrix } from "./run/run-matrix.ts"
import { drawTable, isGreen } from "./run/table.ts"

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2))
  if (!options) {
    process.stdout.write(HELP)
    return 0
  }
  const folder = mkdtempSync(join(tmpdir(), "millrace-conformance-"))
  const previous = options.previous ? await openPrevious(options.previous, folder) : undefined
  const plans = previous?.plans ?? planRun(options)
  const progress = new Progress(plans.reduce((sum, { scenarios }) => sum + scenarios.length, 0))
  const results = await runMatrix(plans, { folder, jobs: options.jobs, progress })
  await previous?.remove()
  const green = isGreen(results, Boolean(process.env.CI))
  process.stdout.write(`${drawTable(results)}\n`)
  if (options.write) writeFileSync(PAGE, drawPage(results))
  if (green) rmSync(folder, { recursive: true, force: true })
  else process.stdout.write(`logs of the programs: ${folder}\n`)
  return green ? 0 : 1
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return 1
})
