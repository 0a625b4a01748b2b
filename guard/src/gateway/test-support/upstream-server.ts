// A real upstream on loopback that remembers what it was asked.
import { createServer, type IncomingMessage, type RequestListener, type Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"

export interface Asked {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly rawHeaders: readonly string[]
}

export interface UpstreamServer {
  readonly url: string
  readonly server: Server
  readonly asked: Asked[]
  /** How many connections have been opened to it. */
  connections(): number
  close(): Promise<void>
}

/** Answers 200 with what it was asked, unless the test has an answer of its own. */
export async function startUpstream(answer: RequestListener = tell): Promise<UpstreamServer> {
  const asked: Asked[] = []
  const sockets = new Set<Socket>()
  let connections = 0
  const server = createServer((request, response) => {
    const { method = "", url = "", headers, rawHeaders } = request
    asked.push({ method, url, headers, rawHeaders })
    answer(request, response)
  })
  server.on("connection", (socket) => {
    connections++
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    asked,
    connections: () => connections,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
    },
  }
}

const tell: RequestListener = (request, response) => {
  const chunks: Buffer[] = []
  request.on("data", (chunk: Buffer) => chunks.push(chunk))
  request.on("end", () => {
    response.setHeader("content-type", "application/json")
    response.end(JSON.stringify({ method: request.method, url: request.url, body: Buffer.concat(chunks).toString() }))
  })
}
