// Node's HTTP server under a table of routes: its limits of time, and TLS where it is configured.
import { createServer, type RequestListener, type Server } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { RestOptions, RestTimeouts } from "../../calls/options.ts"

const HEADERS_MS = 10_000

export function nodeServer({ timeouts, tls }: Pick<RestOptions, "timeouts" | "tls">, serve: RequestListener): Server {
  const settings = settingsOf(timeouts)
  const server: Server = tls ? createTlsServer({ ...settings, ...tls }, serve) : createServer(settings, serve)
  server.keepAliveTimeout = timeouts.idleMs
  server.requestTimeout = timeouts.readMs
  return server.setTimeout(timeouts.writeMs)
}

const settingsOf = (timeouts: RestTimeouts) => ({
  // The door refuses a request without a host, in our words.
  requireHostHeader: false,
  headersTimeout: Math.min(HEADERS_MS, timeouts.readMs),
  // Node looks for late requests this often; its own 30 s would double the limit.
  connectionsCheckingInterval: Math.max(50, Math.min(1_000, timeouts.readMs / 4)),
})
