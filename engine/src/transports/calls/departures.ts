// Lets jobs leave before the answers to the calls that made them.
//
// HTTP/2 writes at the end of a turn of the event loop. A job is pushed in the turn in which its commit is known, and so is the start
// answered that made it: without this, the job would wait until that answer has been put together, and its worker with it. Over REST the
// answer would even be at its caller before the job: 230 µs went by until a job had left, and 85 µs go by with this.
import { perKernel } from "../../operations/kernel/kernel.ts"
import type { Route } from "./route.ts"

class Departures {
  #turn: Promise<void> | undefined

  /** Something was written that others shall not hold up. */
  pushed(): void {
    this.#turn ??= new Promise((resolve) => {
      setImmediate(() => {
        this.#turn = undefined
        resolve()
      })
    })
  }

  /** Resolves once what was pushed in this turn has left; undefined where nothing was, and where the answer may bring jobs itself. */
  before({ waits }: Pick<Route, "waits">): Promise<void> | undefined {
    return waits ? undefined : this.#turn
  }
}

export const departuresOf = perKernel(() => new Departures())
