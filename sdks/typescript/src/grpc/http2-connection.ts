// The HTTP/2 connection to one engine: opened by the first call, shared by all, and opened anew by the first call after it ended.
import { type ClientHttp2Session, type ClientHttp2Stream, connect, type OutgoingHttpHeaders } from "node:http2"
import { isIP } from "node:net"
import { Code } from "./protocol/codes.ts"
import { keepAlive } from "./protocol/keep-alive.ts"
import { RpcFailure } from "./rpc-failure.ts"

const CONNECT_MS = 20_000
/** The window of one stream and of the connection. It is large, so that acknowledgements do not hold up a large answer. */
const WINDOW = 4 * 1_048_576

export class Http2Connection {
  readonly #origin: string
  #session: ClientHttp2Session | undefined
  #opening: Promise<ClientHttp2Session> | undefined
  readonly #closing = new AbortController()
  /** Open calls. Only these keep the process alive. */
  readonly #calls = new Map<ClientHttp2Session, number>()

  constructor(origin: string) {
    this.#origin = origin
  }

  /** Not a promise where the connection is there. */
  request(headers: OutgoingHttpHeaders): ClientHttp2Stream | Promise<ClientHttp2Stream> {
    if (this.#session) return this.#begin(this.#session, headers)
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening.then((session) => this.#begin(session, headers))
  }

  /** Calls that are under way fail. */
  close(): void {
    this.#closing.abort()
    for (const session of this.#calls.keys()) session.destroy()
  }

  async #open(): Promise<ClientHttp2Session> {
    const session = await connected(this.#origin, this.#closing.signal)
    this.#calls.set(session, 0)
    session.setLocalWindowSize(WINDOW)
    session.unref()
    keepAlive(session, () => (this.#calls.get(session) ?? 0) > 0)
    // A session that was told to go away finishes its calls, and takes no new ones.
    for (const end of ["goaway", "close", "error"]) session.on(end, () => this.#leave(session))
    session.once("close", () => this.#calls.delete(session))
    this.#session = session
    return session
  }

  #leave(session: ClientHttp2Session): void {
    if (this.#session === session) this.#session = undefined
  }

  #begin(session: ClientHttp2Session, headers: OutgoingHttpHeaders): ClientHttp2Stream {
    if (session.closed || session.destroyed) throw unsent("the connection was closed")
    const stream = session.request(headers)
    this.#count(session, 1)
    stream.once("close", () => this.#count(session, -1))
    return stream
  }

  #count(session: ClientHttp2Session, change: 1 | -1): void {
    const calls = (this.#calls.get(session) ?? 0) + change
    if (session.destroyed) return
    this.#calls.set(session, calls)
    if (calls === 0) session.unref()
    else if (calls === 1 && change === 1) session.ref()
  }
}

/**
 * Megabytes that may lie between us and the network. Above it Node refuses answers as well as new calls, and a single large message gets there:
 * what is sent is bounded by its callers.
 */
const MOST_UNSENT = 1_024

const SETTINGS = { enablePush: false, initialWindowSize: WINDOW }

/** TLS has names of servers, and no addresses for one. */
const serverName = (origin: string) =>
  isIP(new URL(origin).hostname.replace(/^\[|\]$/g, "")) ? { servername: "" } : {}

const unsent = (reason: string) => new RpcFailure(Code.UNAVAILABLE, reason, { reached: "unsent" })

/** Connected is what has told its settings: before that it may be anything that takes a connection. */
function connected(origin: string, closing: AbortSignal): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connect(origin, { ...serverName(origin), settings: SETTINGS, maxSessionMemory: MOST_UNSENT })
    const fail = (cause?: Error) => {
      clearTimeout(timer)
      session.destroy()
      const reason = cause?.message || "the connection was closed"
      reject(new RpcFailure(Code.UNAVAILABLE, reason, { reached: "unconnected", cause }))
    }
    const timer = setTimeout(() => fail(new Error(`no connection within ${CONNECT_MS / 1000} s`)), CONNECT_MS)
    const close = () => fail(new Error("the client was closed"))
    closing.addEventListener("abort", close, { once: true })
    session.on("error", fail)
    session.once("close", fail)
    session.once("remoteSettings", () => {
      clearTimeout(timer)
      closing.removeEventListener("abort", close)
      resolve(session)
    })
  })
}
