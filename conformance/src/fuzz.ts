// The fuzzer: `npm run fuzz`.
import { HELP, readOptions } from "./fuzz/options.ts"
import { Progress } from "./fuzz/progress.ts"
import { drawResult } from "./fuzz/report.ts"
import { runFuzz } from "./fuzz/run-fuzz.ts"

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2))
  if (!options) {
    process.stdout.write(HELP)
    return 0
  }
  process.stdout.write(`seed ${options.seed}\n`)
  const progress = new Progress(options)
  const result = await runFuzz(options, (sent, found) => progress.show(sent, found))
  progress.end()
  process.stdout.write(`${drawResult(result, options)}\n`)
  return result.findings.length === 0 ? 0 : 1
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  return 1
})
