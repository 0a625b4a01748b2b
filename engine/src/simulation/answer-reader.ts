// Follows what a server answers, in whatever pieces it arrives: how many answers have ended, and how they left the session.
const ERROR = 0x45
const READY = 0x5a
const IDLE = 0x49
const HEAD_BYTES = 5

export class AnswerReader {
  /** How many answers have ended. */
  count = 0
  /** An error was answered. The driver that received it reports it. */
  hasFailed = false
  isInTransaction = false
  #rest: Buffer = Buffer.alloc(0)
  /** How many bytes of a begun message are still to be skipped. */
  #skip = 0

  read(chunk: Buffer): void {
    this.#rest = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk
    while (this.#skipBody() && this.#rest.length > HEAD_BYTES) this.#readHead()
  }

  /** False where the rest of it has not arrived. */
  #skipBody(): boolean {
    const skipped = Math.min(this.#skip, this.#rest.length)
    this.#skip -= skipped
    this.#rest = this.#rest.subarray(skipped)
    return this.#skip === 0
  }

  /** One byte more than the head: that of the last message says how the session is. */
  #readHead(): void {
    const [kind] = this.#rest
    if (kind === ERROR) this.hasFailed = true
    if (kind === READY) {
      this.count += 1
      this.isInTransaction = this.#rest[HEAD_BYTES] !== IDLE
    }
    this.#skip = 1 + this.#rest.readInt32BE(1)
  }
}
