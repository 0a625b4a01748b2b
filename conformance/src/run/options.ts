// The command line of the conformance run.
import { parseArgs } from "node:util"
import { cells, LEGACY, MODES, SDKS, TRANSPORTS } from "../scenarios/matrix.ts"
import { scenarios } from "../scenarios/scenario.ts"

export interface ConformanceOptions {
  readonly sdk: readonly string[]
  readonly transport: readonly string[]
  readonly mode: readonly string[]
  readonly scenario: readonly string[]
  /** A part of the matrix that says most in a few minutes. */
  readonly short: boolean
  /** Writes the page with the result. */
  readonly write: boolean
  /** A commit, or "" for the one before: its TypeScript SDK against this engine, and the other way round, instead of the matrix. */
  readonly previous: string | undefined
  /** Cells that run at the same time. */
  readonly jobs: number
}

export const HELP = `npm run conformance -- [options]

Runs ${scenarios.length} scenarios with every SDK over every transport and in every mode against a running engine: ${cells.length} cells. Builds the
programs of the languages first; a cell whose toolchain is missing is listed with the reason, and fails where CI is set.

  --sdk <name>         ${[...SDKS, ...LEGACY].join(", ")}
  --transport <name>   ${TRANSPORTS.join(", ")}
  --mode <name>        ${MODES.join(", ")}; kafka starts a broker for each cell with tools/kafka.sh (Java 17 and Maven)
  --scenario <id>      one of ${scenarios[0]?.id}, … (a file in conformance/scenarios)
                       each of these several times, or with commas
  --short              every cell with some of the scenarios, and TypeScript over REST with all; of Kafka one cell
                       for each SDK; some minutes
  --previous [commit]  instead: the TypeScript SDK of that commit against this engine, and this SDK against that engine;
                       without a commit the newest one before this that builds. Not run where there is no git history
  --jobs <n>           cells at the same time (default 2)
  --write              writes docs/reference/conformance.md: the matrix, which must be whole, or with --previous its own part
  --help

Exit code 0: every cell that ran is green. 1: some cell is red; the faults are listed, and the programs' logs are kept.
`

/** Undefined when only help was asked for. */
export function readOptions(args: readonly string[]): ConformanceOptions | undefined {
  const many = { type: "string", multiple: true, default: [] as string[] } as const
  const no = { type: "boolean", default: false } as const
  const { values } = parseArgs({
    args: withValues(args),
    options: {
      ...{ sdk: many, transport: many, mode: many, scenario: many },
      ...{ short: no, write: no, help: no },
      jobs: { type: "string", default: "2" },
      previous: { type: "string" },
    },
  })
  if (values.help) return undefined
  const options = {
    sdk: oneOf("sdk", values.sdk, [...SDKS, ...LEGACY]),
    transport: oneOf("transport", values.transport, TRANSPORTS),
    mode: oneOf("mode", values.mode, MODES),
    scenario: oneOf(
      "scenario",
      values.scenario,
      scenarios.map(({ id }) => id),
    ),
    ...{ short: values.short, write: values.write, jobs: jobsOf(values.jobs), previous: values.previous },
  }
  const partial = options.short || [options.sdk, options.transport, options.mode, options.scenario].flat().length > 0
  if (options.write && partial) throw new Error("--write needs the whole matrix: leave out the filters and --short")
  return options
}

/** `--previous` may stand alone; the parser wants a value behind it. */
const withValues = (args: readonly string[]): string[] =>
  args.map((arg, at) => (arg === "--previous" && (args[at + 1] ?? "-").startsWith("-") ? "--previous=" : arg))

function oneOf(name: string, given: readonly string[], known: readonly string[]): string[] {
  const values = given.flatMap((value) => value.split(","))
  const strange = values.find((value) => !known.includes(value))
  if (strange !== undefined) throw new Error(`--${name} ${strange} is not one of ${known.join(", ")}`)
  return values
}

function jobsOf(text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1 && value <= 16) return value
  throw new Error(`--jobs must be a whole number from 1 to 16, not ${text}`)
}
