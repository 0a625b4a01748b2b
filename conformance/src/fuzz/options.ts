// The command line of the fuzzer.
import { parseArgs } from "node:util"

export const WIRES = ["rest", "grpc"] as const
export type Wire = (typeof WIRES)[number]

export interface FuzzOptions {
  readonly requests: number
  readonly seed: number
  readonly wires: readonly Wire[]
  /** Episodes that run at a time. */
  readonly callers: number
  /** The only episode that is run. */
  readonly episode: number | undefined
}

/** How many requests belong to an episode: they share what was learned from their answers. */
export const EPISODE = 250

export const HELP = `npm run fuzz -- [options]

Starts an engine on a private PostgreSQL and sends requests that are made from contracts/openapi.yaml and from
contracts/workflow/v1/engine.proto: valid ones, nearly valid ones, nonsense, and broken bytes. Ids, keys, tokens and
cursors of earlier answers are used again: right, stale, of another object, or changed. Every answer is held against
the contract. At the end the engine has to be healthy, and \`millrace doctor\` has to find nothing but lowered limits.

  --requests <n>   how many requests (default 20,000: two to three minutes on 2 cores; the long form is ten times 100000, each with its own seed)
  --seed <n>       makes the same requests as an earlier run
  --episode <n>    only this episode of the run, which is ${EPISODE} requests: a finding names its own
  --wire <names>   rest, grpc, or both with a comma (default: both)
  --callers <n>    episodes that run at a time (default 4)
  --help

Exit code 0: nothing was found. 1: something was; each finding is printed once with the request, and with the command that repeats it.
`

/** Undefined when only help was asked for. */
export function readOptions(args: readonly string[]): FuzzOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      requests: { type: "string", default: "20000" },
      seed: { type: "string" },
      episode: { type: "string" },
      wire: { type: "string", default: WIRES.join() },
      callers: { type: "string", default: "4" },
      help: { type: "boolean", default: false },
    },
  })
  if (values.help) return undefined
  return {
    requests: wholeNumber("requests", values.requests, [1, 100_000_000]),
    seed: values.seed === undefined ? Date.now() % 1_000_000_007 : wholeNumber("seed", values.seed, [0, 4_294_967_295]),
    wires: wiresOf(values.wire),
    callers: wholeNumber("callers", values.callers, [1, 64]),
    episode: values.episode === undefined ? undefined : wholeNumber("episode", values.episode, [0, 1_000_000]),
  }
}

function wiresOf(text: string): Wire[] {
  return text.split(",").map((name) => {
    const wire = WIRES.find((one) => one === name)
    if (!wire) throw new Error(`--wire ${name} is not one of ${WIRES.join(", ")}`)
    return wire
  })
}

function wholeNumber(name: string, text: string, [min, max]: readonly [number, number]): number {
  const value = Number(text)
  if (text.trim() !== "" && Number.isInteger(value) && value >= min && value <= max) return value
  throw new Error(`--${name} must be a whole number from ${min} to ${max}, not ${text}`)
}
