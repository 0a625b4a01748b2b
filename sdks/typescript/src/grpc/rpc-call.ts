// One RPC on a stream of HTTP/2: its messages, and how it ended.
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2"
import { Code } from "./protocol/codes.ts"
import { FrameReader, frameOf } from "./protocol/frames.ts"
import { RpcFailure } from "./rpc-failure.ts"

/** The default limit of gRPC clients; the engine keeps its answers below it. */
const MAX_MESSAGE = 4 * 1_048_576

export interface RpcEvents {
  message(bytes: Buffer): void
  /** Once, and last. */
  ended(failure: RpcFailure | undefined, trailers: IncomingHttpHeaders): void
}

export class RpcCall {
  readonly #stream: ClientHttp2Stream
  readonly #events: RpcEvents
  readonly #reader = new FrameReader()
  #head: IncomingHttpHeaders = {}
  #trailers: IncomingHttpHeaders | undefined
  #error: NodeJS.ErrnoException | undefined
  #over = false

  constructor(stream: ClientHttp2Stream, events: RpcEvents) {
    this.#stream = stream
    this.#events = events
    stream.on("response", (head) => {
      this.#head = head
    })
    stream.on("trailers", (trailers) => {
      this.#trailers = trailers
    })
    stream.on("data", (piece: Buffer) => this.#read(piece))
    stream.on("error", (error) => {
      this.#error = error
    })
    // The end comes first where all went well; where it did not, there is only the close.
    stream.on("end", () => this.#status !== undefined && this.#end())
    stream.on("close", () => this.#end())
  }

  write(message: Uint8Array): void {
    if (!this.#over) this.#stream.write(frameOf(message))
  }

  /** Nothing more is sent; the engine may still answer. */
  end(message?: Uint8Array): void {
    if (this.#over) return
    if (message) this.#stream.end(frameOf(message))
    else this.#stream.end()
  }

  /** Ends it here and at the engine. */
  abandon(failure: RpcFailure): void {
    this.#settle(failure)
    this.#stream.close(constants.NGHTTP2_CANCEL)
  }

  /** An answer without a message has its status in its first headers. */
  get #status(): string | undefined {
    return (this.#trailers ?? this.#head)["grpc-status"] as string | undefined
  }

  #read(piece: Buffer): void {
    if (this.#over) return
    this.#reader.push(piece)
    try {
      for (let next = this.#next(); next !== undefined; next = this.#next()) this.#events.message(next)
    } catch (error) {
      this.abandon(
        error instanceof RpcFailure ? error : new RpcFailure(Code.DATA_LOSS, String(error), { cause: error }),
      )
    }
  }

  #next(): Buffer | undefined {
    return this.#over ? undefined : this.#reader.next(MAX_MESSAGE)
  }

  #end(): void {
    const status = this.#status
    if (status === undefined) this.#settle(this.#withoutStatus())
    else if (status === "0") this.#settle(undefined)
    else this.#settle(this.#refused(Number(status)))
  }

  #settle(failure: RpcFailure | undefined): void {
    if (this.#over) return
    this.#over = true
    // The engine has ended it: nothing that is still written would be read.
    if (!this.#stream.writableEnded) this.#stream.close()
    this.#events.ended(failure, this.#trailers ?? this.#head)
  }

  #refused(code: number): RpcFailure {
    const trailers = this.#trailers ?? this.#head
    return new RpcFailure(code || Code.UNKNOWN, percentDecoded(trailers["grpc-message"]), { trailers })
  }

  #withoutStatus(): RpcFailure {
    const http = this.#head[":status"] as number | undefined
    if (http !== undefined && http !== 200) return new RpcFailure(BY_HTTP[http] ?? Code.UNKNOWN, `HTTP status ${http}`)
    const { id, rstCode = 0 } = this.#stream
    const cause = this.#error
    if (id === undefined || rstCode === constants.NGHTTP2_REFUSED_STREAM)
      return new RpcFailure(Code.UNAVAILABLE, cause?.message ?? "the call was not begun", { reached: "unsent", cause })
    // The engine ended this stream alone.
    if (cause?.code === "ERR_HTTP2_STREAM_ERROR")
      return new RpcFailure(BY_RESET[rstCode] ?? Code.INTERNAL, cause.message)
    return new RpcFailure(Code.UNAVAILABLE, cause?.message ?? "the connection was closed", { cause })
  }
}

/** What something between us and the engine answers. */
const BY_HTTP: Readonly<Record<number, number>> = {
  400: Code.INTERNAL,
  401: Code.UNAUTHENTICATED,
  403: Code.PERMISSION_DENIED,
  404: Code.UNIMPLEMENTED,
  429: Code.UNAVAILABLE,
  502: Code.UNAVAILABLE,
  503: Code.UNAVAILABLE,
  504: Code.UNAVAILABLE,
}

const BY_RESET: Readonly<Record<number, number>> = {
  [constants.NGHTTP2_CANCEL]: Code.CANCELLED,
  [constants.NGHTTP2_ENHANCE_YOUR_CALM]: Code.RESOURCE_EXHAUSTED,
  [constants.NGHTTP2_INADEQUATE_SECURITY]: Code.PERMISSION_DENIED,
}

function percentDecoded(text: string | string[] | undefined): string {
  const encoded = String(text ?? "")
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
}
