// Lets jobs leave before the answers to the calls that made them.
//
// HTTP/2 writes at the end of a turn of the event loop. A job is pushed in the turn in which its commit is known, and so is the start
// answered that made it: without this, the job would wait until that answer has been put together, and its worker with it.

export class Departures {
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

  /** Resolves once what was pushed in this turn has left; undefined where nothing was. */
  get underWay(): Promise<void> | undefined {
    return this.#turn
  }
}
