// The gateway behind node's own HTTP server and nothing else: no guard, no credentials, one line of text for a refusal.
import { createServer, type IncomingMessage, ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Upgrading } from "../exchange.ts"
import type { Sender } from "../forward-headers.ts"
import { Gateway } from "../gateway.ts"
import { GatewayRefusal } from "../refusal.ts"
import { UPSTREAM_DEFAULTS, type Upstream } from "../upstream.ts"

const STATUS = {
  "bad-request": 400,
  "not-found": 404,
  "method-not-allowed": 405,
  "bad-gateway": 502,
  "gateway-timeout": 504,
  "rate-limited": 429,
  unavailable: 503,
} as const

export const upstreamTo = (to: string, more: Partial<Upstream> = {}): Upstream => ({
  ...UPSTREAM_DEFAULTS,
  path: "/",
  to,
  ...more,
})

export const SENDER: Sender = {
  requestId: "r-1",
  address: "203.0.113.7",
  proto: "http",
  host: "gateway.test",
  client: "user:7",
  role: "USER",
  ownsAuthorization: true,
}

export interface BareGateway {
  readonly url: string
  readonly gateway: Gateway
  close(): Promise<void>
}

interface Parts {
  readonly upstreams: readonly Upstream[]
  readonly sender?: Partial<Sender> | ((request: IncomingMessage) => Partial<Sender>)
  readonly onStream?: (end: () => void) => void
  readonly closed?: () => void
  /** What a request waits for before it is forwarded, as one that is slowed down does. */
  readonly judged?: (request: IncomingMessage) => Promise<unknown>
}

export async function startGateway({ upstreams, sender, onStream, closed, judged }: Parts): Promise<BareGateway> {
  const gateway = new Gateway({ upstreams, mount: "/gateway", cookies: ["session"] })
  const serve = (request: IncomingMessage, response: ServerResponse, upgrading?: Upgrading) => {
    const refuse = (refusal: GatewayRefusal) =>
      response.writeHead(STATUS[refusal.code], { connection: "close" }).end(`${refusal.code}: ${refusal.message}`)
    try {
      const way = gateway.route(request)
      const own = { "x-request-id": SENDER.requestId }
      gateway.forward({
        request,
        response,
        ...way,
        sender: { ...SENDER, ...(typeof sender === "function" ? sender(request) : sender) },
        own,
        refuse,
        upgrading,
        onStream,
        closed,
      })
    } catch (error) {
      if (!(error instanceof GatewayRefusal)) throw error
      refuse(error)
    }
  }
  const receive = (...given: Parameters<typeof serve>) =>
    judged ? void judged(given[0]).then(() => serve(...given)) : serve(...given)
  const server = createServer((request, response) => receive(request, response))
  server.on("upgrade", (request, socket: Socket, head) => {
    const response = new ServerResponse(request)
    response.assignSocket(socket)
    socket.on("error", () => {})
    response.once("finish", () => socket.destroySoon())
    receive(request, response, { socket, head })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    gateway,
    close: async () => {
      await gateway.close()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
