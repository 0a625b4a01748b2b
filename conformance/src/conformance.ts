// The conformance run: `npm run conformance`.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { HELP, readOptions } from "./run/options.ts"
import { writePage } from "./run/page/write-page.ts"
import { planRun } from "./run/plan.ts"
import { openPrevious } from "./run/previous/previous.ts"
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
  const progress = new Progress()
  const previous = options.previous === undefined ? undefined : await openPrevious(options, { folder, progress })
  const plans = previous?.plans ?? planRun(options)
  progress.expect(plans.reduce((sum, { scenarios }) => sum + scenarios.length, 0))
  const results = await runMatrix(plans, { folder, jobs: options.jobs, progress }).finally(() => previous?.remove())
  const green = isGreen(results, Boolean(process.env.CI))
  process.stdout.write(`${drawTable(results)}\n`)
  if (options.write) writePage(results, previous)
  if (green) rmSync(folder, { recursive: true, force: true })
  else process.stdout.write(`logs of the programs: ${folder}\n`)
  return green ? 0 : 1
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return 1
})
