// The command line of the simulation.
import { parseArgs } from "node:util"

export interface SimulateOptions {
  readonly firstSeed: number
  readonly seeds: number
  /** No new seed is begun after that. */
  readonly minutes: number
  readonly processes: number
  /** No new seed is begun after so many have failed. */
  readonly failures: number
  /** Where every line of a seed is written. */
  readonly trace: string | undefined
}

export const HELP = `npm run simulate -- [options]

Runs whole engines in one process, on a virtual clock and a real PostgreSQL, one statement at a time in an order that is drawn from a seed.
The same seed draws the faults: engines that die at any statement, connections that are lost before and after it, slow connections,
steps of the database's clock, workers that are late, forget their jobs or report twice, cancels and retries at any moment.
What callers were told, and what the doctor finds in the database, must be true at all times; after the last fault all work must end.

  --seeds <n>        how many seeds, from the first one on (default 300)
  --first <n>        the first seed (default: another one every time)
  --seed <n>         one seed, with the end of its trace where it fails
  --minutes <n>      begins no new seed after that; with --seeds, whichever comes first
  --processes <n>    seeds that run at the same time, each on a PostgreSQL of its own (default: the number of processors, at most 4)
  --failures <n>     begins no new seed after so many have failed (default 5)
  --trace <file>     with --seed: writes down every statement, fault and step of the clock
  --help

Ctrl-C ends it after the seeds that are under way, and says with which command it goes on. So does the last line of a run that was killed.

Exit code 0: nothing was violated. 1: something was; the report names it, and the command that replays it.
`

/** Undefined when only help was asked for. */
export function readOptions(args: readonly string[], processors: number): SimulateOptions | undefined {
  const text = { type: "string" } as const
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: text,
      first: text,
      seed: text,
      minutes: text,
      processes: text,
      failures: text,
      trace: text,
      help: { type: "boolean", default: false },
    },
  })
  if (values.help) return undefined
  const one = values.seed === undefined ? undefined : wholeNumber("seed", values.seed)
  const endless = values.minutes === undefined ? "300" : "1000000"
  return {
    firstSeed: one ?? (values.first === undefined ? Date.now() % 1_000_000_007 : wholeNumber("first", values.first)),
    seeds: one === undefined ? wholeNumber("seeds", values.seeds ?? endless) : 1,
    minutes: values.minutes === undefined ? Number.POSITIVE_INFINITY : wholeNumber("minutes", values.minutes),
    processes: one === undefined ? wholeNumber("processes", values.processes ?? String(Math.min(4, processors))) : 1,
    failures: wholeNumber("failures", values.failures ?? "5"),
    trace: values.trace,
  }
}

function wholeNumber(name: string, text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 0 && value <= 4_294_967_295) return value
  throw new Error(`--${name} must be a whole number from 0 to 4294967295, not ${text}`)
}
