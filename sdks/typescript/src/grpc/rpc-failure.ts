// How an RPC failed: the status that the engine or the connection gave it.
import type { IncomingHttpHeaders } from "node:http2"

/**
 * How far the call came:
 * - `unconnected`: there was no connection;
 * - `unsent`: the connection ended before the engine began the call, so it may be sent again whatever it is;
 * - `sent`: the engine may have acted.
 */
export type Reached = "unconnected" | "unsent" | "sent"

export class RpcFailure extends Error {
  override readonly name = "RpcFailure"
  readonly code: number
  /** The words of the engine or of the connection. */
  readonly details: string
  readonly trailers: IncomingHttpHeaders
  readonly reached: Reached

  constructor(
    code: number,
    details: string,
    { trailers = {}, reached = "sent" as Reached, cause = undefined as unknown } = {},
  ) {
    super(`status ${code}: ${details}`, cause === undefined ? undefined : { cause })
    this.code = code
    this.details = details
    this.trailers = trailers
    this.reached = reached
  }
}

/** The value of a trailer whose name ends in `-bin`. */
export function binaryTrailer(trailers: IncomingHttpHeaders, name: `${string}-bin`): Buffer | undefined {
  const value = trailers[name]
  return typeof value === "string" ? Buffer.from(value, "base64") : undefined
}
