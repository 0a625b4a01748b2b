// Routes about the process itself: alive, ready, what it serves, what it measures.
import type { Context } from "../../operations/context.ts"
import { openApiJson } from "./openapi.ts"
import type { RestOptions } from "./options.ts"
import type { Answer, Route } from "./route.ts"

const ALIVE: Answer = { status: 200, body: '{"status":"ok"}' }
const READY: Answer = { status: 200, body: '{"status":"ready"}' }
const DRAINING: Answer = { status: 503, body: '{"status":"draining"}' }
const UNAVAILABLE: Answer = { status: 503, body: '{"status":"unavailable"}' }

type Options = Pick<RestOptions, "draining" | "ready">

/** A word each, for whoever asks; `quiet` because probes come every few seconds. */
export const healthRoutes = (options: Options): readonly Route[] => [
  { method: "GET", path: "/healthz", permission: "anyone", quiet: true, handle: () => ALIVE },
  { method: "GET", path: "/readyz", permission: "anyone", quiet: true, handle: () => readiness(options) },
]

async function readiness({ draining, ready }: Options): Promise<Answer> {
  if (draining()) return DRAINING
  return (await ready()) ? READY : UNAVAILABLE
}

export const contractRoute: Route = {
  method: "GET",
  path: "/openapi.json",
  permission: "any-key",
  handle: async () => ({ status: 200, body: await openApiJson() }),
}

export const metricsRoute: Route = {
  method: "GET",
  path: "/metrics",
  permission: "metrics:read",
  quiet: true,
  handle: ({ ctx }) => metricsOf(ctx),
}

async function metricsOf({ metrics: { registry } }: Context): Promise<Answer> {
  return { status: 200, body: await registry.metrics(), contentType: registry.contentType }
}
