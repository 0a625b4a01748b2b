// One unary RPC: a message out and a message back, within its time.
import { type ClientHttp2Stream, constants, type IncomingHttpHeaders } from "node:http2"
import { Code } from "./protocol/codes.ts"
import { RpcCall } from "./rpc-call.ts"
import { RpcFailure } from "./rpc-failure.ts"

export interface UnaryTerms {
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  /** What the engine says behind its answer. */
  readonly trailers: (trailers: IncomingHttpHeaders) => void
}

type Opening = ClientHttp2Stream | Promise<ClientHttp2Stream>

/**
 * Rejects with RpcFailure. The time that the connection takes to open counts. Resolves when the answer is there: the engine sends one
 * only where all went well, and its status comes in a packet of its own, a turn of the engine's event loop later.
 */
export function unary(opening: Opening, message: Uint8Array, terms: UnaryTerms): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let call: RpcCall | undefined
    let abandoned: RpcFailure | undefined
    const forget = watch(terms, (failure) => {
      abandoned = failure
      if (call) call.abandon(failure)
      else reject(failure)
    })
    const fail = (failure: unknown) => {
      forget()
      reject(failure)
    }
    const begin = (stream: ClientHttp2Stream) => {
      if (abandoned) return discard(stream)
      let answered = false
      call = new RpcCall(stream, {
        message(answer) {
          answered = true
          forget()
          resolve(answer)
        },
        ended(failure, trailers) {
          if (!answered) fail(failure ?? new RpcFailure(Code.DATA_LOSS, "the answer has no message"))
          terms.trailers(trailers)
        },
      })
      call.end(message)
    }
    if (opening instanceof Promise) opening.then(begin, fail)
    else begin(opening)
  })
}

/** Calls `giveUp` when the time is over or the caller gives up. Returns a function that ends the watch. */
function watch({ timeoutMs, signal }: UnaryTerms, giveUp: (failure: RpcFailure) => void): () => void {
  const late = () => giveUp(new RpcFailure(Code.DEADLINE_EXCEEDED, "no answer in time"))
  const abort = () => giveUp(new RpcFailure(Code.CANCELLED, "the caller gave up"))
  const timer = setTimeout(late, timeoutMs)
  signal?.addEventListener("abort", abort, { once: true })
  return () => {
    clearTimeout(timer)
    signal?.removeEventListener("abort", abort)
  }
}

/** Closes a stream that was opened for a call that has been given up. */
function discard(stream: ClientHttp2Stream): void {
  stream.on("error", () => {})
  stream.close(constants.NGHTTP2_CANCEL)
}
