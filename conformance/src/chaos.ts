// The kill test: `npm run chaos`.

import { floodLines } from "./chaos/flood/flood-facts.ts"
import { type FloodResult, runFlood } from "./chaos/flood/run-flood.ts"
import { jobLines } from "./chaos/jobs/job-facts.ts"
import { dispatchLines } from "./chaos/kafka/judge-dispatch.ts"
import { type MixedResult, runMixed } from "./chaos/mixed/run-mixed.ts"
import { HELP, readOptions } from "./chaos/options.ts"
import { type ChaosResult, runChaos } from "./chaos/run-chaos.ts"

const SHOWN = 30

function report(result: ChaosResult): string {
  const { kills, seconds, samples, settledInSeconds, facts, dispatch, violations, folder } = result
  const total = [...kills.values()].reduce((sum, count) => sum + count, 0)
  const victims = [...kills].map(([victim, count]) => `${count} ${victim}`)
  const outcomes = Object.entries(facts.outcomes).map(([status, count]) => `${count} ${status}`)
  const lines = [
    `${total} kills (${victims.join(", ")}) in ${seconds.toFixed(0)} s; settled ${settledInSeconds.toFixed(1)} s after the last`,
    `${facts.accepted} starts accepted, ${facts.instances} instances: ${outcomes.join(", ")}`,
    `${facts.completedJobs} steps completed in ${facts.deliveries} deliveries`,
    ...jobLines(facts.jobs),
    ...(dispatch ? dispatchLines(dispatch) : []),
    `leases were counted ${samples} times`,
  ]
  if (violations.length > 0) return [...lines, ...shown(violations, folder)].join("\n")
  return [...lines, "nothing lost, nothing doubled, nothing stuck, no limit exceeded"].join("\n")
}

function reportMixed({ kills, accepted, steps, stepsAfter, violations, folder }: MixedResult): string {
  const worked = [...steps].map(
    ([worker, count]) => `  ${worker}: ${count} steps, ${stepsAfter.get(worker) ?? 0} of them after the last kill`,
  )
  const lines = [`${kills} kills of replicas and workers; ${accepted} orders accepted`, ...worked]
  if (violations.length > 0) return [...lines, ...shown(violations, folder)].join("\n")
  return [...lines, "nothing lost, nothing doubled; the workers of every language went on"].join("\n")
}

function reportFlood({ kills, loadSeconds, seconds, facts, violations, folder }: FloodResult): string {
  const lines = [...floodLines(kills, facts, loadSeconds), `${seconds.toFixed(0)} s with the verdict`]
  if (violations.length > 0) return [...lines, ...shown(violations, folder)].join("\n")
  return [...lines, "the ledger, the database and the doctor agree: nothing lost, nothing doubled"].join("\n")
}

function shown(violations: readonly string[], folder: string): string[] {
  const more = violations.length > SHOWN ? [`… and ${violations.length - SHOWN} more`] : []
  return ["", "VIOLATIONS", ...violations.slice(0, SHOWN), ...more, "", `kept: ${folder}`]
}

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2))
  if (!options) {
    process.stdout.write(HELP)
    return 0
  }
  process.stdout.write(`seed ${options.seed} (--seed ${options.seed} replays the schedule)\n`)
  if (options.workers.length > 0) {
    const mixed = await runMixed(options, options.workers)
    process.stdout.write(`${reportMixed(mixed)}\n`)
    return mixed.violations.length === 0 ? 0 : 1
  }
  if (options.flood) {
    const flood = await runFlood(options)
    process.stdout.write(`${reportFlood(flood)}\n`)
    return flood.violations.length === 0 ? 0 : 1
  }
  const result = await runChaos(options)
  process.stdout.write(`${report(result)}\n`)
  return result.violations.length === 0 ? 0 : 1
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return 1
})
