// The line in front of password hashing: few at once, few waiting, and the rest is told to come back.

/** Too many hashes are wanted at once. The caller is told to try again in a moment. */
export class Overloaded extends Error {
  constructor() {
    super("too many passwords are being checked at once")
    this.name = "Overloaded"
  }
}

interface LineSize {
  readonly atOnce: number
  readonly waiting: number
  /** How many of the waiting places are kept for known callers. */
  readonly reserved: number
}

/** Whether the place is for a known caller; asked only where the other places are taken. */
export type IsKnown = () => boolean | Promise<boolean>

const STRANGER: IsKnown = () => false

/** A hash takes 19 MiB and a core for some 20 ms: without a bound, sign-ins would take the memory and the CPU of all other calls. */
export class HashLine {
  readonly #size: LineSize
  readonly #waiting: (() => void)[] = []
  #running = 0

  constructor(size: LineSize) {
    this.#size = size
  }

  /** Throws `Overloaded` where the line is full: no work has been done then. */
  async run<T>(work: () => Promise<T>, isKnown: IsKnown = STRANGER): Promise<T> {
    const { waiting, reserved } = this.#size
    if (!this.#hasPlace(waiting - reserved) && !((await isKnown()) && this.#hasPlace(waiting))) throw new Overloaded()
    await this.#enter()
    try {
      return await work()
    } finally {
      this.#leave()
    }
  }

  #hasPlace(places: number): boolean {
    return this.#running < this.#size.atOnce || this.#waiting.length < places
  }

  async #enter(): Promise<void> {
    if (this.#running >= this.#size.atOnce) return new Promise<void>((enter) => this.#waiting.push(enter))
    this.#running += 1
  }

  /** The place goes to the one that has waited longest. */
  #leave(): void {
    const next = this.#waiting.shift()
    if (next) next()
    else this.#running -= 1
  }
}
