// The service behind the gateway: it answers everything, and remembers what it was asked.
import { createServer, type IncomingHttpHeaders } from "node:http"

export interface Upstream {
  readonly url: string
  readonly asked: { readonly path: string; readonly headers: IncomingHttpHeaders }[]
  close(): Promise<void>
}

export async function startUpstream(): Promise<Upstream> {
  const asked: { path: string; headers: IncomingHttpHeaders }[] = []
  const server = createServer((request, response) => {
    asked.push({ path: request.url ?? "", headers: request.headers })
    request.resume()
    response.end("from the upstream")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
