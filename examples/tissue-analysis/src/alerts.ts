// The person on call: a webhook that keeps what the engine tells it.
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

interface Alert {
  readonly subject: string
  readonly message: string
}

export interface Pager {
  readonly url: string
  readonly alerts: readonly Alert[]
  close(): void
}

export async function startPager(): Promise<Pager> {
  const alerts: Alert[] = []
  const server = createServer(async (request, response) => {
    let text = ""
    for await (const chunk of request) text += chunk
    alerts.push(JSON.parse(text) as Alert)
    response.writeHead(204).end()
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}/`, alerts, close: () => void server.close() }
}
