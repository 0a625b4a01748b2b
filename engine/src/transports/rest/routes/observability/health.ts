// Routes about the process itself: alive, ready, what it serves, what it measures.
import type { wire } from "@millrace/sdk"
import type { Kernel } from "../../../../operations/kernel/kernel.ts"
import { pingDatabase } from "../../../../operations/kernel/run-operation.ts"
import { json } from "../../plumbing/answers.ts"
import { withDeadline } from "../../plumbing/deadline.ts"
import type { RestOptions } from "../../plumbing/options.ts"
import type { Answer, Route } from "../../plumbing/route.ts"
import { openApiJson } from "./openapi.ts"

const ALIVE: Answer = { status: 200, body: '{"status":"ok"}' }
const READY: Answer = { status: 200, body: '{"status":"ready"}' }
const DRAINING: Answer = { status: 503, body: '{"status":"draining"}' }
const UNAVAILABLE: Answer = { status: 503, body: '{"status":"unavailable"}' }

type Options = Pick<RestOptions, "draining" | "ready">

/** One word each; `quiet` because probes come every few seconds. */
export const healthRoutes = (options: Options): readonly Route[] => [
  { method: "GET", path: "/healthz", permission: "anyone", quiet: true, handle: () => ALIVE },
  { method: "GET", path: "/readyz", permission: "anyone", quiet: true, handle: () => readiness(options) },
  {
    method: "GET",
    path: "/health",
    permission: "anyone",
    quiet: true,
    handle: ({ kernel }) => health(kernel, options),
  },
]

async function readiness({ draining, ready }: Options): Promise<Answer> {
  if (draining()) return DRAINING
  return (await ready()) ? READY : UNAVAILABLE
}

const PING_MS = 2_000

/** Each part by itself, so that the answer shows which one is down. */
async function health(kernel: Kernel, { draining, ready }: Options): Promise<Answer> {
  const isDraining = draining()
  const components: wire.Health["components"] = {
    postgres: (await answers(kernel)) ? "ok" : "unreachable",
    pulse: isDraining || (await ready()) ? "ok" : "late",
    process: isDraining ? "draining" : "ok",
  }
  const isWell = Object.values(components).every((word) => word === "ok")
  return json<wire.Health>(isWell ? 200 : 503, { status: isWell ? "ok" : "degraded", components })
}

const answers = (kernel: Kernel): Promise<boolean> =>
  withDeadline(() => pingDatabase(kernel), PING_MS).then(
    () => true,
    () => false,
  )

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
  handle: ({ kernel }) => metricsOf(kernel),
}

async function metricsOf({ metrics: { registry } }: Kernel): Promise<Answer> {
  return { status: 200, body: await registry.metrics(), contentType: registry.contentType }
}
