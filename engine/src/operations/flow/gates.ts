// Which gates are shut, as this process has heard last: a request that would be refused costs no trip to the database.

import type { Priority } from "../../model/definitions/definition.ts"
import type { GateName } from "../../model/flow/gate.ts"
import { perKernel } from "../kernel/kernel.ts"

/** A gate that nothing was heard of for as long is asked about: a process whose pulse is not answered must not refuse for ever. */
const BELIEVED_MS = 3_000

export class Gates {
  /** When each was last said to be shut. */
  readonly #shut = new Map<GateName, number>()
  readonly #nowMs: () => number

  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
  }

  /** True is the truth of a moment ago. False means: ask the database, which decides. */
  isShut(priority: Priority): boolean {
    return this.#holds(priority) || this.#holds("total")
  }

  /** The answer of an enqueue, about one gate. */
  heard(name: GateName, isShut: boolean): void {
    if (isShut) this.#shut.set(name, this.#nowMs())
    else this.#shut.delete(name)
  }

  /** All that are shut: the pulse, and the fold where it runs. */
  heardAll(shut: Iterable<GateName>): void {
    this.#shut.clear()
    for (const name of shut) this.heard(name, true)
  }

  #holds(name: GateName): boolean {
    const heardAt = this.#shut.get(name)
    return heardAt !== undefined && this.#nowMs() - heardAt < BELIEVED_MS
  }
}

export const gatesOf = perKernel(() => new Gates())
