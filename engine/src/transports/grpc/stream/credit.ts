// How many more jobs a worker has said that it can take.
import { badRequest, type EngineError } from "../../../support/errors.ts"

/** More than any worker has slots; it bounds what one stream may hold. */
const MOST = 10_000

export class Credit {
  #left = 0

  get left(): number {
    return this.#left
  }

  add(jobs: number): void {
    this.#left = Math.min(MOST, this.#left + jobs)
  }

  spend(jobs: number): void {
    this.#left -= jobs
  }
}

/** What is wrong with credit that a worker gives. */
export const creditFault = (credit: number): EngineError | undefined =>
  credit < 0 ? badRequest("credit must not be negative: it adds to what there is") : undefined
