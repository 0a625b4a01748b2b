// Deals seeds out to processes until there are none left, the time is over, or there are too many failures to go on.
import { type ChildProcess, fork } from "node:child_process"
import type { SimulateOptions } from "./options.ts"
import type { SeedResult } from "./run-seed.ts"
import type { SeedOrder, SeedReport } from "./seed-runner.ts"

const RUNNER = new URL(`seed-runner${import.meta.url.slice(import.meta.url.lastIndexOf("."))}`, import.meta.url)

/** A step leaves much garbage behind. With 16 MB for young objects, a sixth of the time went into collecting it. */
const ROOM_FOR_THE_YOUNG = "--max-semi-space-size=64"

/** Which seed is next, and where a run that was ended early can go on. */
export class Seeds {
  readonly #options: SimulateOptions
  readonly #endsAt: number
  readonly #underWay = new Set<number>()
  #next: number
  #failures = 0
  #isStopped = false

  constructor(options: SimulateOptions) {
    this.#options = options
    this.#endsAt = Date.now() + options.minutes * 60_000
    this.#next = options.firstSeed
  }

  get #end(): number {
    return this.#options.firstSeed + this.#options.seeds
  }

  /** All before this one have been run. */
  get firstLeft(): number {
    return Math.min(this.#next, ...this.#underWay)
  }

  get left(): number {
    return this.#end - this.firstLeft
  }

  deal(): number | undefined {
    const { failures } = this.#options
    const isOver = this.#next >= this.#end || Date.now() > this.#endsAt || this.#failures >= failures
    if (isOver || this.#isStopped) return undefined
    this.#underWay.add(this.#next)
    return this.#next++
  }

  note({ seed, violations }: SeedResult): void {
    this.#underWay.delete(seed)
    if (violations.length > 0) this.#failures += 1
  }

  /** No new seed is begun. */
  stop(): void {
    this.#isStopped = true
  }
}

/** `onResult` is called with each seed as it ends. */
export async function runSeeds(
  seeds: Seeds,
  { trace, processes }: SimulateOptions,
  onResult: (result: SeedResult) => void,
): Promise<void> {
  const deal = (): SeedOrder | undefined => {
    const seed = seeds.deal()
    return seed === undefined ? undefined : { seed, trace }
  }
  const note = (result: SeedResult) => {
    seeds.note(result)
    onResult(result)
  }
  await Promise.all(Array.from({ length: processes }, () => runProcess(deal, note)))
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
