// The attack on the guard: `npm run attack`.
import { HELP, readOptions } from "./attack/options.ts"
import { runAttacks } from "./attack/run-attacks.ts"
import { drawLine, drawSum } from "./attack/table.ts"

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2))
  if (!options) {
    process.stdout.write(HELP)
    return 0
  }
  const results = await runAttacks(options, (result) => void process.stdout.write(`${drawLine(result)}\n`))
  process.stdout.write(`\n${drawSum(results)}\n`)
  return results.every(({ held }) => held) ? 0 : 1
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  return 1
})
