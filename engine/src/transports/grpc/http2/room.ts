// The memory that messages may take while they arrive, those of all calls together: many slow callers with large messages would fill it.

const MIB = 1_048_576
const MOST = 256 * MIB

export class Room {
  #left: number

  constructor(bytes = MOST) {
    this.#left = bytes
  }

  /** False where there is none. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false
    this.#left -= bytes
    return true
  }

  giveBack(bytes: number): void {
    this.#left += bytes
  }
}
