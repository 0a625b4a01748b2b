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

/** What a compressed message says, if that is no more than so many bytes. */
type Unpack = (message: Buffer, mostBytes: number) => Buffer

const refuse: Unpack = () => {
  throw new FrameFault(Code.INTERNAL, "a message is compressed, which was not asked for")
}

/** Puts messages together again from the pieces in which they arrive. */
export class FrameReader {
  readonly #unpack: Unpack
  #pieces: Buffer[] = []
  #size = 0
  /** The bytes of the frame that has begun, its header included. */
  #wanted = HEADER

  constructor(unpack: Unpack = refuse) {
    this.#unpack = unpack
  }

  push(piece: Buffer): void {
    this.#pieces.push(piece)
    this.#size += piece.length
  }

  /** The next message, once all of it is there. It is unpacked only now, so unread messages cost nothing. Throws FrameFault. */
  next(mostBytes: number): Buffer | undefined {
    if (this.#size < this.#wanted) return undefined
    const whole = this.#join()
    this.#wanted = HEADER + lengthIn(whole, mostBytes)
    if (whole.length < this.#wanted) return undefined
    const message = whole.subarray(HEADER, this.#wanted)
    this.#keep(whole.subarray(this.#wanted))
    return whole[0] === 0 ? message : this.#unpack(message, mostBytes)
  }

  /** The bytes of the message that has begun to arrive, so far as is known. */
  get begun(): number {
    return this.#wanted
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

function lengthIn(frame: Buffer, mostBytes: number): number {
  const length = frame.readUInt32BE(1)
  if (length <= mostBytes) return length
  throw new FrameFault(Code.RESOURCE_EXHAUSTED, `a message of ${length} bytes is larger than ${mostBytes}`)
}
