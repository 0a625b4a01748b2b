// A process of the simulation: what is run within it has virtual timers, virtual clocks and seeded chance, and stops for ever when it dies.
import { AsyncLocalStorage } from "node:async_hooks"
import { Dice } from "./dice.ts"

const context = new AsyncLocalStorage<VirtualProcess>()

/** The process that the running code belongs to; undefined for the simulator itself. */
export const currentProcess = (): VirtualProcess | undefined => context.getStore()

/** For what the simulator does on behalf of a process, with real timers. */
export const outsideOfProcesses = <T>(work: () => T): T => context.exit(work)

/** A call was cut off: whether it was done is not known to the caller. */
export class ProcessDied extends Error {
  override name = "ProcessDied"
}

export class VirtualProcess {
  readonly name: string
  /** For what the process decides by chance. */
  readonly dice: Dice
  readonly #bytesSeed: number
  readonly #bytes = new Map<number, Dice>()
  #isAlive = true
  readonly #callers = new Set<(error: Error) => void>()

  constructor(name: string, dice: Dice) {
    this.name = name
    this.dice = dice
    this.#bytesSeed = dice.between(0, 2 ** 31)
  }

  get isAlive(): boolean {
    return this.#isAlive
  }

  /** How many callers wait for it. */
  get calls(): number {
    return this.#callers.size
  }

  /** Runs the work within this process, for a caller outside of it. */
  call<T>(work: () => Promise<T>): Promise<T> {
    if (!this.#isAlive) return Promise.reject(this.#died())
    return new Promise<T>((resolve, reject) => {
      this.#callers.add(reject)
      const settle = (tell: () => void) => {
        // What a dead process still computes reaches no caller.
        if (this.#callers.delete(reject)) tell()
      }
      context.run(this, work).then(
        (value) => settle(() => resolve(value)),
        (error: unknown) => settle(() => reject(error)),
      )
    })
  }

  /**
   * Random bytes. Modules fetch them in advance and keep what is left over from one seed to the next: each length has dice of its own,
   * so that what one of them fetches, and when, changes nothing for the others.
   */
  fill<Bytes extends Uint8Array>(bytes: Bytes): Bytes {
    const dice = this.#bytes.get(bytes.length) ?? new Dice(this.#bytesSeed + bytes.length)
    this.#bytes.set(bytes.length, dice)
    return dice.fill(bytes)
  }

  /** Within this process, without a caller. */
  enter<T>(work: () => T): T {
    return context.run(this, work)
  }

  die(): void {
    this.#isAlive = false
    const callers = [...this.#callers]
    this.#callers.clear()
    for (const reject of callers) reject(this.#died())
  }

  #died(): ProcessDied {
    return new ProcessDied(`${this.name} has died`)
  }
}
