// Messages on a stream of gRPC: a byte that says whether it is compressed, its length in four bytes, and the message.
import { Code } from "./codes.ts"

const HEADER = 5

/** What arrives is no frame that is taken here. */
export class FrameFault extends Error {
  override readonly name = "FrameFault"
  readonly code: number

  constructor(code: number, reason: string) {
    super(reason)
    this.code = code
  }
}

export function frameOf(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEADER + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, HEADER)
  return frame
}

/** What a compressed message says. */
type Unpack = (message: Buffer) => Buffer

const refuse: Unpack = () => {
  throw new FrameFault(Code.INTERNAL, "a message is compressed, which was not asked for")
}

/** Puts messages together again from the pieces in which they arrive. Throws FrameFault. */
export class FrameReader {
  readonly #mostBytes: number
  readonly #unpack: Unpack
  #pieces: Buffer[] = []
  #size = 0
  /** Of the frame that has begun, its header included. */
  #wanted = HEADER

  constructor(mostBytes: number, unpack: Unpack = refuse) {
    this.#mostBytes = mostBytes
    this.#unpack = unpack
  }

  /** The messages that this piece completes. */
  push(piece: Buffer): Buffer[] {
    this.#pieces.push(piece)
    this.#size += piece.length
    const messages: Buffer[] = []
    while (this.#size >= this.#wanted) {
      const whole = this.#join()
      if (this.#wanted === HEADER) this.#wanted = HEADER + this.#lengthIn(whole)
      if (whole.length < this.#wanted) break
      const message = whole.subarray(HEADER, this.#wanted)
      messages.push(whole[0] === 0 ? message : this.#unpack(message))
      this.#keep(whole.subarray(this.#wanted))
    }
    return messages
  }

  #lengthIn(frame: Buffer): number {
    const length = frame.readUInt32BE(1)
    if (length <= this.#mostBytes) return length
    throw new FrameFault(Code.RESOURCE_EXHAUSTED, `a message of ${length} bytes is larger than ${this.#mostBytes}`)
  }

  #join(): Buffer {
    const whole = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces)
    this.#pieces = [whole]
    return whole
  }

  #keep(rest: Buffer): void {
    this.#pieces = rest.length === 0 ? [] : [rest]
    this.#size = rest.length
    this.#wanted = HEADER
  }
}
