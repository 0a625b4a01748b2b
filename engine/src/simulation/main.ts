// The simulation: `npm run simulate`.
import { availableParallelism } from "node:os"
import { HELP, readOptions, type SimulateOptions } from "./options.ts"
import type { SeedResult } from "./run-seed.ts"
import { runSeeds, Seeds } from "./run-seeds.ts"

const PROGRESS_EVERY = 20
/** Up to this many seeds, each gets a line of its own. */
const FEW = 5

class Report {
  readonly #options: SimulateOptions
  readonly #dealt: Seeds
  readonly #beganAt = Date.now()
  #seeds = 0
  #steps = 0
  #faults = 0
  #virtualMs = 0
  readonly failed: SeedResult[] = []

  constructor(options: SimulateOptions, dealt: Seeds) {
    this.#options = options
    this.#dealt = dealt
  }

  note(result: SeedResult): void {
    this.#seeds += 1
    this.#steps += result.steps
    this.#faults += result.faults
    this.#virtualMs += result.virtualMs
    if (result.violations.length > 0) this.#fail(result)
    else if (this.#options.seeds <= FEW)
      say(`seed ${result.seed}: trace ${result.digest}, ${JSON.stringify(result.profile)}`)
    if (this.#seeds % PROGRESS_EVERY === 0) say(this.progress)
  }

  /** Also what is left: a run that is killed goes on from its last line. */
  get progress(): string {
    return `${this.#figures}; ${this.#dealt.left} left, from ${this.#dealt.firstLeft} on`
  }

  /** What this run has covered and how to go on, as lines to write down. */
  get ledger(): string {
    const { firstSeed, processes } = this.#options
    const { firstLeft, left } = this.#dealt
    const failed = this.failed.map(({ seed }) => seed).join(", ")
    const lines = [
      `seeds ${firstSeed} to ${firstLeft - 1}, ${processes} at a time: ${this.#figures}${failed && `: ${failed}`}`,
      ...(left > 0 ? [`to go on: npm run simulate -- --first ${firstLeft} --seeds ${left}`] : []),
    ]
    return lines.join("\n")
  }

  get #figures(): string {
    const seconds = (Date.now() - this.#beganAt) / 1_000
    const perMinute = (60 * this.#seeds) / seconds
    return `${this.#seeds} seeds, ${this.#steps} steps, ${this.#faults} crashes and lost connections, ${Math.round(this.#virtualMs / 60_000)} virtual minutes in ${seconds.toFixed(0)} s: ${perMinute.toFixed(0)} seeds per minute, ${Math.round(this.#steps / seconds)} steps per second; ${this.failed.length} failed`
  }

  #fail(result: SeedResult): void {
    this.failed.push(result)
    const isOne = this.#options.seeds === 1
    const lines = [
      `seed ${result.seed} FAILED after ${result.steps} steps: trace ${result.digest}, ${JSON.stringify(result.profile)}`,
      ...(isOne ? result.last : []).map((line) => `  ${line}`),
      ...result.violations.slice(0, 5).map((violation) => `  ${violation}`),
      `  replay: npm run simulate -- --seed ${result.seed}`,
    ]
    say(lines.join("\n"))
  }
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

async function main(): Promise<number> {
  const options = readOptions(process.argv.slice(2), availableParallelism())
  if (!options) {
    say(HELP)
    return 0
  }
  const seeds = new Seeds(options)
  const report = new Report(options, seeds)
  if (options.seeds > 1) say(`seeds from ${options.firstSeed} on, ${options.processes} at a time`)
  // Seeds that are under way end first. At a second signal the process ends at once.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => seeds.stop())
  await runSeeds(seeds, options, (result) => report.note(result))
  say(report.ledger)
  return report.failed.length === 0 ? 0 : 1
}

process.exitCode = await main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`)
  return 1
})
