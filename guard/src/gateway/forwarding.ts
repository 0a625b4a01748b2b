// One exchange under way: what the upstream answers is written to the caller as it comes, and stopped while the caller is slower.
import type { EventEmitter } from "node:events"
import type { IncomingHttpHeaders } from "node:http"
import { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { TLSSocket } from "node:tls"
import type { Dispatcher } from "undici"
import { answerHeaders, type HeaderValues } from "./answer-headers.ts"
import type { Exchange } from "./exchange.ts"
import { forwardHeaders } from "./forward-headers.ts"
import { RequestBody } from "./request-body.ts"
import { isSafe, isWorthAnotherTry, refusalOf } from "./upstream-failure.ts"

type Controller = Dispatcher.DispatchController

export interface Surroundings {
  readonly pool: Dispatcher
  /** The guard's cookies: they neither reach an upstream nor come from one. */
  readonly cookies: readonly string[]
  readonly join: (exchange: Exchange, answer: { headers: string[]; socket: Duplex }) => void
  /** Lists an answer that may go on for hours, until it closes. */
  readonly keep: (end: () => void, closing: EventEmitter) => void
}

const GONE = new Error("the caller has gone")
const EVENTS = "text/event-stream"

/** Where an exchange is: `asked` nothing came back, `answering` the head was written, `over` nothing more may be written. */
type State = "asked" | "answering" | "over"

export class Forwarding implements Dispatcher.DispatchHandler {
  readonly #exchange: Exchange
  readonly #around: Surroundings
  #state: State = "asked"
  #triesLeft: number
  #controller: Controller | undefined
  #idle: NodeJS.Timeout | undefined
  /** The head waits for the first piece of the body, so that a short answer is one packet. */
  #headHeld = false

  constructor(exchange: Exchange, around: Surroundings) {
    this.#exchange = exchange
    this.#around = around
    const mayRepeat = isSafe(exchange.request.method) && !exchange.hasBody
    this.#triesLeft = mayRepeat ? exchange.upstream.retries : 0
  }

  start(): void {
    const { response } = this.#exchange
    // The caller went while it was judged: that is not told a second time, and what is asked now would be closed by no one.
    if (response.destroyed) return this.#closed()
    response.once("close", this.#closed)
    this.#ask()
  }

  #ask(): void {
    const { request, target, upstream, hasBody, sender, upgrading } = this.#exchange
    const { pool, cookies } = this.#around
    pool.dispatch(
      {
        method: request.method as Dispatcher.HttpMethod,
        path: target,
        headers: forwardHeaders(request, sender, cookies),
        body: hasBody ? new RequestBody(request) : null,
        headersTimeout: upstream.timeouts.headersMs,
        // Counted here: a stream of events may be silent, and only the head of the answer tells that it is one.
        bodyTimeout: 0,
        ...(upgrading ? { upgrade: "websocket" } : {}),
      },
      this,
    )
  }

  readonly #closed = (): void => {
    clearTimeout(this.#idle)
    if (this.#state !== "over") {
      this.#state = "over"
      this.#controller?.abort(GONE)
    }
    this.#exchange.closed?.()
  }

  onRequestStart(controller: Controller): void {
    this.#controller = controller
    if (this.#state === "over") controller.abort(GONE)
  }

  onRequestUpgrade(_: Controller, __: number, headers: IncomingHttpHeaders, socket: Duplex): void {
    if (this.#state === "over") return void socket.destroy()
    this.#state = "over"
    this.#around.join(this.#exchange, { headers: this.#headersOf(headers), socket })
  }

  onResponseStart(_: Controller, status: number, headers: IncomingHttpHeaders): void {
    if (status < 200) return
    const { response } = this.#exchange
    response.writeHead(status, this.#headersOf(headers))
    this.#state = "answering"
    this.#headHeld = true
    const isEvents = String(headers["content-type"] ?? "").startsWith(EVENTS)
    if (isEvents) this.#keepOpen()
    process.nextTick(this.#afterHead, isEvents)
  }

  #keepOpen(): void {
    const { response, onStream } = this.#exchange
    const end = () => this.#breakOff()
    this.#around.keep(end, response)
    onStream?.(end)
  }

  #headersOf(headers: IncomingHttpHeaders): string[] {
    return answerHeaders({
      headers: headers as HeaderValues,
      own: this.#exchange.own,
      cookies: this.#around.cookies,
    })
  }

  /** A short answer is over by now, and has cost no timer. */
  readonly #afterHead = (isEvents: boolean): void => {
    if (this.#state !== "answering") return
    if (this.#headHeld) this.#exchange.response.flushHeaders()
    if (!isEvents) this.#idle = setTimeout(this.#silent, this.#exchange.upstream.timeouts.idleMs)
  }

  readonly #silent = (): void => {
    // The caller is the slow one, and its own connection has a time-out.
    if (this.#controller?.paused) this.#idle?.refresh()
    else this.#breakOff()
  }

  onResponseData(controller: Controller, chunk: Buffer): void {
    this.#headHeld = false
    this.#idle?.refresh()
    if (this.#exchange.response.write(chunk) || this.#state !== "answering") return
    controller.pause()
    this.#exchange.response.once("drain", () => controller.resume())
  }

  onResponseEnd(): void {
    if (this.#state !== "answering") return
    this.#state = "over"
    clearTimeout(this.#idle)
    this.#exchange.response.end()
  }

  onResponseError(_: Controller | undefined, error: Error): void {
    if (this.#state === "over") return
    if (this.#state === "answering") return this.#breakOff()
    if (this.#triesLeft > 0 && isWorthAnotherTry(error)) {
      this.#triesLeft--
      return this.#ask()
    }
    this.#state = "over"
    this.#exchange.refuse(refusalOf(error))
  }

  /** An answer that stops half-way must not look like a whole one: a close alone is the end of a body in HTTP/1.0. */
  #breakOff(): void {
    if (this.#state !== "answering") return
    this.#state = "over"
    clearTimeout(this.#idle)
    const { socket } = this.#exchange.response
    if (socket instanceof Socket && !(socket instanceof TLSSocket)) socket.resetAndDestroy()
    else this.#exchange.response.destroy()
    this.#controller?.abort(GONE)
  }
}
