// Routes about the process itself: alive, ready, what it serves, what it measures.
import type { wire } from "@millrace/sdk"
import { reachesEngine } from "../../../model/people/scopes.ts"
import type { Kernel } from "../../../operations/kernel/kernel.ts"
import { pingDatabase } from "../../../operations/kernel/run-operation.ts"
import { json } from "../../calls/answers.ts"
import { withDeadline } from "../../calls/deadline.ts"
import type { Guarding } from "../../calls/guard/guard-verdicts.ts"
import { findCaller } from "../../calls/guard/guarded-credentials.ts"
import type { RestOptions } from "../../calls/options.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"
import { openApiJson } from "./openapi.ts"

const ALIVE: Answer = { status: 200, body: '{"status":"ok"}' }
const READY: Answer = { status: 200, body: '{"status":"ready"}' }
const DRAINING: Answer = { status: 503, body: '{"status":"draining"}' }
const UNAVAILABLE: Answer = { status: 503, body: '{"status":"unavailable"}' }

type Options = Pick<RestOptions, "draining" | "ready">
type CallerOptions = Options &
  Pick<RestOptions, "auth" | "bindIsLoopback" | "findKey" | "sessions" | "findTrusted" | "guarding">

const PROBE = { permission: "anyone", routeClass: "health", quiet: true } as const

/** One word each; `quiet` because probes come every few seconds. */
export const healthRoutes = (options: CallerOptions): readonly Route[] => [
  { method: "GET", path: "/healthz", ...PROBE, handle: () => ALIVE },
  { method: "GET", path: "/readyz", ...PROBE, handle: () => readiness(options) },
  { method: "GET", path: "/health", ...PROBE, handle: (call) => health(call, options) },
]

async function readiness({ draining, ready }: Options): Promise<Answer> {
  if (draining()) return DRAINING
  return (await ready()) ? READY : UNAVAILABLE
}

const PING_MS = 2_000

/** To a stranger, and to a user of the gateway, no more than whether it is up, without a query: how the engine is built is for its own people. */
async function health(call: Call, options: CallerOptions): Promise<Answer> {
  // A database that cannot say whose key it is has to be told of as well.
  const caller = await withDeadline(() => findCaller(options, call), PING_MS).catch(() => undefined)
  return caller && reachesEngine(caller.scopes) ? healthOfParts(call.kernel, options) : healthInAWord(options)
}

async function healthInAWord({ draining, ready }: Options): Promise<Answer> {
  const isWell = !draining() && (await ready())
  return json<wire.Health>(isWell ? 200 : 503, { status: isWell ? "ok" : "degraded" })
}

/** Each part by itself, so that the answer shows which one is down. */
async function healthOfParts(kernel: Kernel, { draining, ready, guarding }: CallerOptions): Promise<Answer> {
  const isDraining = draining()
  const components: NonNullable<wire.Health["components"]> = {
    postgres: (await answers(kernel)) ? "ok" : "unreachable",
    pulse: isDraining || (await ready()) ? "ok" : "late",
    process: isDraining ? "draining" : "ok",
  }
  const isWell = Object.values(components).every((word) => word === "ok")
  const { size, idle, waiting, most } = kernel.db.pool
  return json<wire.Health>(isWell ? 200 : 503, {
    status: isWell ? "ok" : "degraded",
    components: { ...components, ...redisOf(guarding) },
    pool: { size, idle, waiting, most },
    ...(guarding ? { guard: guardOf(guarding) } : {}),
  })
}

/** Told, and no reason to be unwell: without it the process counts for itself. */
function redisOf(guarding: Guarding | undefined): { readonly redis?: "ok" | "unreachable" } {
  const store = guarding?.guard.counts.store
  return store?.kind === "redis" ? { redis: store.isUp ? "ok" : "unreachable" } : {}
}

function guardOf({ guard }: Guarding): NonNullable<wire.Health["guard"]> {
  const { store, addresses, agents } = guard.counts
  return { store: store.kind, blocked_addresses: addresses, blocked_agents: agents }
}

const answers = (kernel: Kernel): Promise<boolean> =>
  withDeadline(() => pingDatabase(kernel), PING_MS).then(
    () => true,
    () => false,
  )

/** For every known caller, users of the gateway included: it is the same text at every engine of this version. */
export const contractRoute: Route = {
  method: "GET",
  path: "/openapi.json",
  permission: "any-key",
  routeClass: "health",
  handle: async () => ({ status: 200, body: await openApiJson() }),
}

export const metricsRoute = ({ metricsOfAll }: RestOptions): Route => ({
  method: "GET",
  path: "/metrics",
  permission: "metrics:read",
  quiet: true,
  handle: ({ kernel }) => metricsOf(kernel, metricsOfAll),
})

async function metricsOf({ metrics: { registry } }: Kernel, ofAll: RestOptions["metricsOfAll"]): Promise<Answer> {
  return { status: 200, body: await (ofAll?.() ?? registry.metrics()), contentType: registry.contentType }
}
