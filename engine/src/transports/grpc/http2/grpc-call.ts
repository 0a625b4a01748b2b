// One RPC on a stream of HTTP/2, as a server has it: what its caller says, and one status at its end.
//
// Nothing is read before a handler asks for it, and no more than it asks for: a caller that sends faster is held up by its window.
import { constants, type IncomingHttpHeaders, type ServerHttp2Stream } from "node:http2"
import { Code, FrameFault, FrameReader, frameOf } from "@millrace/sdk/grpc-protocol"
import { EngineError } from "../../../support/errors.ts"
import type { Room } from "./room.ts"
import { timeoutMs } from "./timeout.ts"
import { statusFields, type Trailers } from "./trailers.ts"
import { unpackerOf } from "./unpack.ts"

const MIB = 1_048_576
/** Numbers take up to five times the room in a Struct that they take in JSON, whose limit is 1 MiB. */
const MAX_MESSAGE = 6 * MIB

/** Not more than the window of a stream lets in anyway. */
const SMALL = 65_535

const HEAD = {
  ":status": 200,
  "content-type": "application/grpc+proto",
  "grpc-accept-encoding": "identity,deflate,gzip",
} as const

/** What callers are given. */
export interface Terms {
  readonly timeouts: Patience
  readonly room: Room
}

/** How long a caller is waited for. */
interface Patience {
  /** Until the message of a call of one message is there. */
  readonly readMs: number
  /** Until it has taken the end of a call. */
  readonly writeMs: number
}

/** Who waits for a message. */
interface Reading {
  readonly resolve: (message: Buffer | undefined) => void
  readonly reject: (refusal: unknown) => void
}

const noRoom = new EngineError("rate-limited", "too many large messages are arriving: send it again later")

export class GrpcCall {
  readonly headers: IncomingHttpHeaders
  readonly #stream: ServerHttp2Stream
  readonly #reader: FrameReader
  readonly #terms: Terms
  /** Bytes of its room that the message takes that is arriving. */
  #held = 0
  #mostBytes = MAX_MESSAGE
  #isReading = false
  #isAllRead = false
  #reading: Reading | undefined
  #onGone: ((code: number) => void)[] = []
  /** Its deadline; once it has ended, the time that its caller has to take the end. */
  #timer: NodeJS.Timeout | undefined
  #isOver = false
  /** With what it ended where no handler ended it: its caller has gone, or its time is over. */
  goneWith: number | undefined

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, terms: Terms) {
    this.#stream = stream
    this.headers = headers
    this.#terms = terms
    this.#reader = new FrameReader(unpackerOf(headers["grpc-encoding"]))
    stream.on("close", () => this.#close())
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

  /**
   * The next message; undefined where there is none any more. Asked again only when the last has come. What arrives and cannot be taken
   * is refused by an EngineError, with which the handler ends the call.
   */
  async next(mostBytes = MAX_MESSAGE): Promise<Buffer | undefined> {
    if (this.#isOver) return undefined
    this.#mostBytes = mostBytes
    return this.#read() ?? (this.#isAllRead ? undefined : this.#arrival())
  }

  /** As `next`, for calls of one message: a caller that does not send it in time has its call ended. */
  async only(mostBytes = MAX_MESSAGE): Promise<Buffer | undefined> {
    const late = () => this.#fail(Code.DEADLINE_EXCEEDED, "the message did not arrive in time")
    const timer = setTimeout(late, this.#terms.timeouts.readMs)
    try {
      return await this.next(mostBytes)
    } finally {
      clearTimeout(timer)
    }
  }

  /** Nothing more is asked for: who waits for a message is told that there is none. */
  stopReading(): void {
    this.#isAllRead = true
    this.#arrived(undefined)
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
    this.#timer = setTimeout(() => this.#stream.close(constants.NGHTTP2_CANCEL), this.#terms.timeouts.writeMs).unref()
    const status = statusFields(code, details, trailers)
    if (!this.#stream.headersSent) {
      this.#stream.respond({ ...HEAD, ...status }, { endStream: true })
      return this.#part()
    }
    this.#stream.once("wantTrailers", () => {
      this.#stream.sendTrailers(status)
      this.#part()
    })
    this.#stream.end(last)
  }

  /** Once the end has left: closes the stream of a caller that has not ended its own side. It would stay open. */
  #part(): void {
    setImmediate(() => {
      if (!this.#isReset) this.#stream.close(constants.NGHTTP2_NO_ERROR)
    })
  }

  /** Before its close is told, which is some turns of the event loop later. */
  get #isReset(): boolean {
    return this.#stream.closed || this.#stream.destroyed
  }

  /** What is still sent is taken off the connection, and not kept. */
  #settle(): void {
    this.#isOver = true
    clearTimeout(this.#timer)
    this.#release()
    this.stopReading()
    this.#stream.resume()
  }

  #close(): void {
    clearTimeout(this.#timer)
    this.#lose()
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
    else this.#timer = setTimeout(() => this.#fail(Code.DEADLINE_EXCEEDED, "the deadline has passed"), ms)
  }

  #arrival(): Promise<Buffer | undefined> {
    if (!this.#isReading) this.#listen()
    this.#stream.resume()
    return new Promise((resolve, reject) => {
      this.#reading = { resolve, reject }
    })
  }

  #arrived(message: Buffer | undefined): void {
    this.#reading?.resolve(message)
    this.#reading = undefined
  }

  #listen(): void {
    this.#isReading = true
    this.#stream.on("data", (piece: Buffer) => this.#take(piece))
    // A call that was reset has an end of its messages, too.
    this.#stream.on("end", () => (this.#isReset ? this.#lose() : this.stopReading()))
  }

  #take(piece: Buffer): void {
    if (this.#isOver) return
    this.#reader.push(piece)
    try {
      const message = this.#read()
      if (message === undefined) return this.#hold()
      this.#pause()
      this.#arrived(message)
    } catch (refusal) {
      this.#pause()
      this.#reading?.reject(refusal)
    }
  }

  #pause(): void {
    this.#release()
    this.#stream.pause()
  }

  /** Takes room for a large message that has begun. */
  #hold(): void {
    const bytes = this.#reader.begun
    if (this.#isOver || this.#held > 0 || bytes <= SMALL) return
    if (!this.#terms.room.take(bytes)) throw noRoom
    this.#held = bytes
  }

  #release(): void {
    this.#terms.room.giveBack(this.#held)
    this.#held = 0
  }

  /** A message that has arrived. */
  #read(): Buffer | undefined {
    try {
      return this.#reader.next(this.#mostBytes)
    } catch (fault) {
      throw fault instanceof FrameFault ? new EngineError("payload-too-large", fault.message) : fault
    }
  }
}
