// A real upstream on loopback that remembers what it was asked, and what a server needs to forward to it.
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { Gateway, UPSTREAM_DEFAULTS, type Upstream } from "@millrace/guard/gateway"
import type { ForwardingOptions } from "../../calls/forwarding-options.ts"
import { OWN_COOKIES } from "../../calls/session-cookie.ts"
import { MOUNT } from "../mount-gateway.ts"

interface Asked {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingHttpHeaders
}

export interface TestUpstream {
  readonly url: string
  readonly server: Server
  readonly asked: Asked[]
  close(): Promise<void>
}

export async function startUpstream(answer: RequestListener = echo): Promise<TestUpstream> {
  const asked: Asked[] = []
  const sockets = new Set<Socket>()
  const server = createServer((request, response) => {
    const { method, url, headers } = request
    asked.push({ method, url, headers })
    answer(request, response)
  })
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    asked,
    close: () => {
      for (const socket of sockets) socket.destroy()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}

const echo: RequestListener = (request, response) => {
  let body = ""
  request.setEncoding("latin1").on("data", (text) => {
    body += text
  })
  request.on("end", () =>
    response.setHeader("content-type", "text/plain").end(`${request.method} ${request.url} ${body}`),
  )
}

export const forwardingTo = (
  to: string,
  more: Partial<Upstream>[] = [],
  options: Partial<ForwardingOptions> = {},
): ForwardingOptions => ({
  gateway: new Gateway({
    upstreams: [{}, ...more].map((one) => ({ ...UPSTREAM_DEFAULTS, path: "/", to, ...one })),
    mount: MOUNT,
    cookies: OWN_COOKIES,
  }),
  isProxy: () => false,
  tokenIssuer: "millrace",
  isBehindTls: false,
  hasPages: false,
  ...options,
})
