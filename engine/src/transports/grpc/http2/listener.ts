// The port that gRPC is served on: takes connections, gives each call to the handler of its method, and ends them all.
import { once } from "node:events"
import { createSecureServer, createServer, type Http2Server, type ServerHttp2Session } from "node:http2"
import type { AddressInfo } from "node:net"
import { Code, keepAlive } from "@millrace/sdk/grpc-protocol"
import type { TlsFiles } from "../../calls/options.ts"
import { age } from "./connection-age.ts"
import { GrpcCall, type Terms } from "./grpc-call.ts"
import { Room } from "./room.ts"

export type Handle = (call: GrpcCall) => Promise<void>

export interface Handlers {
  /** By their paths, `/package.Service/Method`. */
  readonly byPath: ReadonlyMap<string, Handle>
  /** Handles calls of other paths. */
  readonly unknown: Handle
  /** Hears what a handler throws; its call is INTERNAL. */
  readonly onFault: (error: unknown) => void
}

interface Settings extends Partial<Terms> {
  readonly timeouts: Terms["timeouts"]
  readonly tls?: TlsFiles | undefined
}

/** With any encoding of messages. What browsers speak, `application/grpc-web`, is another protocol. */
const GRPC = /^application\/grpc(?:$|[+;])/

export class Listener {
  readonly #server: Http2Server
  readonly #sessions = new Set<ServerHttp2Session>()

  constructor(handlers: Handlers, { tls, timeouts, room = new Room() }: Settings) {
    this.#server = open(tls)
    this.#server.on("session", (session) => this.#take(session))
    this.#server.on("stream", (stream, headers) => {
      // Every fault of a stream ends in its close, which its call hears of.
      stream.on("error", () => {})
      if (!GRPC.test(headers["content-type"] ?? "")) return stream.respond({ ":status": 415 }, { endStream: true })
      void serve(handlers, headers[":path"] ?? "", new GrpcCall(stream, headers, { timeouts, room }))
    })
  }

  /** Resolves with the port. */
  async listen(port: number, host: string): Promise<number> {
    this.#server.listen(port, host)
    await once(this.#server, "listening")
    return (this.#server.address() as AddressInfo).port
  }

  /** Takes no new connections and calls. Resolves when those under way have ended. */
  drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#server.close(() => resolve())
      for (const session of this.#sessions) session.close()
    })
  }

  /** Ends every connection, and the calls on it. */
  cut(): void {
    for (const session of this.#sessions) session.destroy()
  }

  #take(session: ServerHttp2Session): void {
    this.#sessions.add(session)
    session.once("close", () => this.#sessions.delete(session))
    keepAlive(session, () => true)
    age(session)
  }
}

async function serve({ byPath, unknown, onFault }: Handlers, path: string, call: GrpcCall): Promise<void> {
  try {
    await (byPath.get(path) ?? unknown)(call)
  } catch (error) {
    onFault(error)
    call.end(Code.INTERNAL, "internal error")
  }
}

/**
 * Of one connection: how many calls may be open, and the megabytes of answers that its caller has not read, above which no call is begun.
 * Clients keep calls back until others have ended.
 */
const TUNING = { settings: { maxConcurrentStreams: 1_000 }, maxSessionMemory: 256 }

/** Callers prove themselves by keys, and not by certificates. */
const open = (tls: TlsFiles | undefined): Http2Server =>
  tls ? createSecureServer({ ...TUNING, cert: tls.cert, key: tls.key }) : createServer(TUNING)
