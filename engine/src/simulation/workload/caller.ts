// A caller of the engines: it may be told yes or no, or lose the answer, and asks another engine then.

import type { Kernel } from "../../operations/kernel/kernel.ts"
import { asEngineError } from "../../operations/kernel/run-operation.ts"
import { EngineError } from "../../support/errors.ts"
import type { Dice } from "../dice.ts"
import type { Ledger } from "../ledger.ts"
import type { Simulation } from "../simulation.ts"
import { ProcessDied } from "../virtual-process.ts"

export type Answer<T> =
  | { readonly kind: "ok"; readonly value: T }
  | { readonly kind: "refused"; readonly code: string }
  | { readonly kind: "unknown" }

/** What a caller of a busy engine hears too: it comes back later, and does not know what was done. */
const PASSING: ReadonlySet<string> = new Set(["unavailable", "overloaded"])
const UNKNOWN = { kind: "unknown" } as const

/** Within the process of the callers this is virtual. */
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

export class Caller {
  readonly simulation: Simulation
  readonly ledger: Ledger
  readonly dice: Dice

  constructor(simulation: Simulation, ledger: Ledger) {
    this.simulation = simulation
    this.ledger = ledger
    this.dice = simulation.outside.dice.fork()
  }

  /** Asks one engine, once. */
  async ask<T>(work: (kernel: Kernel) => Promise<T>): Promise<Answer<T>> {
    const engine = this.simulation.cluster.pick(this.dice)
    if (!engine) return UNKNOWN
    try {
      return { kind: "ok", value: await engine.process.call(() => work(engine.core.kernel)) }
    } catch (error) {
      return this.#judge(error)
    }
  }

  /** Asks again and again, of any engine, until one says yes or no. */
  async insist<T>(work: (kernel: Kernel) => Promise<T>): Promise<Exclude<Answer<T>, typeof UNKNOWN>> {
    for (;;) {
      const answer = await this.ask(work)
      if (answer.kind !== "unknown") return answer
      await sleep(this.dice.between(50, 800))
    }
  }

  #judge(error: unknown): Answer<never> {
    if (error instanceof ProcessDied) return UNKNOWN
    const told = asEngineError(error)
    if (told instanceof EngineError) return PASSING.has(told.code) ? UNKNOWN : { kind: "refused", code: told.code }
    // Neither an answer nor the database: what a caller would see as an internal error.
    if (!/COMMIT|rolled back/i.test(String(told)))
      this.ledger.violate(`an operation failed: ${(told as Error).stack ?? told}`)
    return UNKNOWN
  }
}
