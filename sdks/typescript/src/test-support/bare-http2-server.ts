// An HTTP/2 server that a test answers by hand, for what no gRPC library would send.
import { once } from "node:events"
import { createServer, type Http2Server, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2"
import type { AddressInfo } from "node:net"
import { frameOf } from "../grpc/protocol/frames.ts"

export class BareHttp2Server {
  readonly sessions: ServerHttp2Session[] = []
  readonly streams: ServerHttp2Stream[] = []
  /** Called with every request, once its message has arrived. */
  onStream: (stream: ServerHttp2Stream) => void = (stream) => this.answer(stream)
  readonly #server: Http2Server

  private constructor(server: Http2Server) {
    this.#server = server
    server.on("session", (session) => {
      session.on("error", () => {})
      this.sessions.push(session)
    })
    server.on("stream", (stream) => {
      stream.on("error", () => {})
      this.streams.push(stream)
      stream.resume().once("end", () => this.onStream(stream))
    })
  }

  static async start(): Promise<BareHttp2Server> {
    const server = createServer()
    const started = new BareHttp2Server(server)
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    return started
  }

  get url(): string {
    return `grpc://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** An empty message, and that all went well. */
  answer(stream: ServerHttp2Stream, { message = frameOf(Buffer.alloc(0)), status = "0" } = {}): void {
    stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true })
    stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": status }))
    stream.end(message)
  }

  stop(): void {
    for (const session of this.sessions) session.destroy()
    this.#server.close()
  }
}
