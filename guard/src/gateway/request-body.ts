// The caller's body on its way to the upstream, at the pace of the slower one.
import type { IncomingMessage } from "node:http"
import { Readable } from "node:stream"

/**
 * A stream of its own: the HTTP client destroys what it was given when an upstream fails, and destroying the request itself would
 * close the connection that the caller waits on for its 502.
 */
export class RequestBody extends Readable {
  readonly #request: IncomingMessage

  constructor(request: IncomingMessage) {
    super()
    this.#request = request
    request.on("data", this.#took).once("end", this.#ended).once("close", this.#broken).pause()
  }

  readonly #took = (chunk: Buffer): void => {
    if (!this.push(chunk)) this.#request.pause()
  }

  readonly #ended = (): void => void this.push(null)

  readonly #broken = (): void => {
    if (!this.#request.complete) this.destroy(new Error("the caller's connection broke off"))
  }

  override _read(): void {
    this.#request.resume()
  }

  /** What the upstream no longer wants is read and thrown away, or the answer would not be read by a caller that still sends. */
  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#request.off("data", this.#took).off("end", this.#ended).off("close", this.#broken)
    if (!this.#request.destroyed) this.#request.resume()
    done(error)
  }
}
