// Messages on a stream of gRPC: a byte that says whether it is compressed, its length in four bytes, and the message.
import { Code, RpcFailure } from "./rpc-failure.ts"

const HEADER = 5
/** What clients of gRPC take unless they are told otherwise; the engine keeps its answers below. */
const MAX_MESSAGE = 4 * 1_048_576

export function frameOf(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(HEADER + message.length)
  frame[0] = 0
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, HEADER)
  return frame
}

/** Puts messages together again from the pieces in which they arrive. */
export class FrameReader {
  #pieces: Buffer[] = []
  #size = 0
  /** Of the frame that has begun, its header included. */
  #wanted = HEADER

  /** The messages that this piece completes. */
  push(piece: Buffer): Buffer[] {
    this.#pieces.push(piece)
    this.#size += piece.length
    const messages: Buffer[] = []
    while (this.#size >= this.#wanted) {
      const whole = this.#join()
      if (this.#wanted === HEADER) this.#wanted = HEADER + lengthIn(whole)
      if (whole.length < this.#wanted) break
      messages.push(whole.subarray(HEADER, this.#wanted))
      this.#keep(whole.subarray(this.#wanted))
    }
    return messages
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

function lengthIn(frame: Buffer): number {
  if (frame[0] !== 0) throw new RpcFailure(Code.DATA_LOSS, "a message is compressed, which was not asked for")
  const length = frame.readUInt32BE(1)
  if (length > MAX_MESSAGE)
    throw new RpcFailure(Code.DATA_LOSS, `a message of ${length} bytes is larger than ${MAX_MESSAGE}`)
  return length
}
