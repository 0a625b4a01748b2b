// Counts what a runner may still take on: handlers that run, and places promised to requests that ask for jobs.
//
//   free = capacity − running − asked. A request asks only for free places, so the answer always fits.

export class Slots {
  readonly #capacity: number
  #running = 0
  #asked = 0

  constructor(capacity: number) {
    this.#capacity = capacity
  }

  get free(): number {
    return this.#capacity - this.#running - this.#asked
  }

  get running(): number {
    return this.#running
  }

  get asked(): number {
    return this.#asked
  }

  /** Promises places to a request; give them back with `answered`. */
  ask(places: number): void {
    this.#asked += places
  }

  answered(places: number): void {
    this.#asked -= places
  }

  start(): void {
    this.#running += 1
  }

  finish(): void {
    this.#running -= 1
  }
}
