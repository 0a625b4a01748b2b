// A small shop: what stands behind the gateway. It knows nothing of passwords, limits or blocks.
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

const PRODUCTS = ["anvil", "bellows", "crank", "dynamo"].map((name, id) => ({ id, name, price: 10 + id }))

export interface Upstream {
  readonly url: string
  close(): Promise<void>
}

export async function startUpstream(): Promise<Upstream> {
  const server = createServer((request, response) => {
    const answer = answerTo(request.url ?? "/", request.headers["x-millrace-client"])
    response.writeHead(answer ? 200 : 404, { "content-type": "application/json" })
    response.end(JSON.stringify(answer ?? { error: "there is no such product" }))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close: () => close(server) }
}

/** The gateway says who calls; no client can, for it takes the header off every request. */
function answerTo(url: string, client: string | string[] | undefined): unknown {
  if (url === "/products") return { products: PRODUCTS, for: client }
  const id = /^\/products\/(\d+)$/.exec(url)?.[1]
  return id === undefined ? undefined : PRODUCTS[Number(id)]
}

function close(server: Server): Promise<void> {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}
