// One RPC on a stream of HTTP/2, as a server has it: what its caller says, and one status at its end.
//
// Nothing is read before a handler asks for it, and no more than it asks for: a caller that sends faster is held up by its window.
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2"
import { Code, FrameFault, FrameReader, frameOf } from "@millrace/sdk/grpc-protocol"
import { timeoutMs } from "./timeout.ts"
import { statusFields, type Trailers } from "./trailers.ts"
import { unpackerOf } from "./unpack.ts"

const MIB = 1_048_576
/** Numbers take up to five times the room in a Struct that they take in JSON, whose limit is 1 MiB. */
const MAX_MESSAGE = 6 * MIB

const HEAD = {
  ":status": 200,
  "content-type": "application/grpc+proto",
  "grpc-accept-encoding": "identity,deflate,gzip",
} as const

export class GrpcCall {
  readonly headers: IncomingHttpHeaders
  readonly #stream: ServerHttp2Stream
  readonly #reader: FrameReader
  /** Read, and not asked for yet. */
  readonly #messages: Buffer[] = []
  #isReading = false
  #isAllRead = false
  #onMessage: (() => void) | undefined
  #onGone: ((code: number) => void)[] = []
  #deadline: NodeJS.Timeout | undefined
  #isOver = false
  /** With what it ended where no handler ended it: its caller has gone, its time is over, or what it sent is no message. */
  goneWith: number | undefined

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders) {
    this.#stream = stream
    this.headers = headers
    this.#reader = new FrameReader(MAX_MESSAGE, unpackerOf(headers["grpc-encoding"], MAX_MESSAGE))
    stream.on("close", () => this.#lose())
    const timeout = headers["grpc-timeout"]
    if (timeout !== undefined) this.#endWithin(timeoutMs(timeout))
  }

  /** Undefined where the connection is closed already. */
  get peer(): string | undefined {
    return this.#stream.session?.socket.remoteAddress
  }

  /** Called once, when `goneWith` is set; at once where it is. */
  onGone(listener: (code: number) => void): void {
    if (this.goneWith !== undefined) listener(this.goneWith)
    else this.#onGone.push(listener)
  }

  /** The next message; undefined where there is none any more. Asked again only when the last has come. */
  async next(): Promise<Buffer | undefined> {
    if (this.#messages.length === 0 && !this.#isAllRead) await this.#arrival()
    return this.#messages.shift()
  }

  /** Nothing more is asked for: who waits for a message is told that there is none. */
  stopReading(): void {
    this.#isAllRead = true
    this.#onMessage?.()
  }

  /** Resolves once the caller's window has taken the message. For a caller that does not read that may be never. */
  write(message: Uint8Array): Promise<void> {
    if (this.#isOver || this.#isReset) return Promise.resolve()
    this.#begin()
    return new Promise((resolve) => {
      this.#stream.write(frameOf(message), () => resolve())
    })
  }

  /** With its only message, or its last. */
  answer(message: Uint8Array, trailers: Trailers = {}): void {
    if (this.#isOver) return
    if (!this.#isReset) this.#begin()
    this.#finish(Code.OK, "", trailers, frameOf(message))
  }

  /** What comes after the first end counts for nothing. */
  end(code: number, details = "", trailers: Trailers = {}): void {
    if (!this.#isOver) this.#finish(code, details, trailers)
  }

  #begin(): void {
    if (!this.#stream.headersSent) this.#stream.respond(HEAD, { waitForTrailers: true })
  }

  #finish(code: number, details: string, trailers: Trailers, last?: Buffer): void {
    this.#settle()
    if (this.#isReset) return
    const status = statusFields(code, details, trailers)
    if (!this.#stream.headersSent) return this.#stream.respond({ ...HEAD, ...status }, { endStream: true })
    this.#stream.once("wantTrailers", () => this.#stream.sendTrailers(status))
    this.#stream.end(last)
  }

  /** Before its close is told, which is some turns of the event loop later. */
  get #isReset(): boolean {
    return this.#stream.closed || this.#stream.destroyed
  }

  /** What is still sent is taken off the connection, and not kept. */
  #settle(): void {
    this.#isOver = true
    clearTimeout(this.#deadline)
    this.#messages.length = 0
    this.stopReading()
    this.#stream.resume()
  }

  #lose(): void {
    if (this.#isOver) return
    this.#settle()
    this.#leave(Code.CANCELLED)
  }

  #fail(code: number, details: string): void {
    if (this.#isOver) return
    this.#finish(code, details, {})
    this.#leave(code)
  }

  #leave(code: number): void {
    this.goneWith = code
    for (const listener of this.#onGone) listener(code)
    this.#onGone = []
  }

  #endWithin(ms: number | undefined): void {
    if (ms === undefined) this.#fail(Code.INVALID_ARGUMENT, "grpc-timeout is no time")
    else this.#deadline = setTimeout(() => this.#fail(Code.DEADLINE_EXCEEDED, "the deadline has passed"), ms)
  }

  #arrival(): Promise<void> {
    if (!this.#isReading) this.#read()
    this.#stream.resume()
    return new Promise((resolve) => {
      this.#onMessage = resolve
    })
  }

  #read(): void {
    this.#isReading = true
    this.#stream.on("data", (piece: Buffer) => this.#take(piece))
    // A call that was reset has an end of its messages, too.
    this.#stream.on("end", () => (this.#isReset ? this.#lose() : this.stopReading()))
  }

  #take(piece: Buffer): void {
    if (this.#isOver) return
    try {
      this.#messages.push(...this.#reader.push(piece))
    } catch (fault) {
      if (!(fault instanceof FrameFault)) throw fault
      return this.#fail(fault.code, fault.message)
    }
    if (this.#messages.length === 0) return
    this.#stream.pause()
    this.#onMessage?.()
  }
}
