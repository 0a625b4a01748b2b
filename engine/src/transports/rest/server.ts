// The doors over HTTP: the REST API, and the metrics on a port of their own.
import type { Kernel } from "../../operations/kernel/kernel.ts"
import type { RestOptions } from "../calls/options.ts"
import type { Route } from "../calls/route.ts"
import { deadLetterRoutes } from "../routes/dead-letters/dead-letters.ts"
import { definitionRoutes } from "../routes/definitions/definitions.ts"
import { eventRoutes } from "../routes/events/events.ts"
import { parkedEventRoutes } from "../routes/events/parked-events.ts"
import { sinkRoutes } from "../routes/events/sinks.ts"
import { downstreamRoutes } from "../routes/flow/downstreams.ts"
import { jobTypeRoutes } from "../routes/flow/job-types.ts"
import { pauseRoutes } from "../routes/flow/pauses.ts"
import { queueRoutes } from "../routes/flow/queues.ts"
import { guardRoutes } from "../routes/guard/guard-routes.ts"
import { bulkRoutes } from "../routes/instances/bulk.ts"
import { instanceChangeRoutes } from "../routes/instances/instance-changes.ts"
import { instanceRoutes } from "../routes/instances/instances.ts"
import { intakeRoutes } from "../routes/instances/intake.ts"
import { endedJobRoutes } from "../routes/jobs/ended-jobs.ts"
import { jobListRoutes } from "../routes/jobs/job-list.ts"
import { jobRoutes } from "../routes/jobs/jobs.ts"
import { standaloneJobRoutes } from "../routes/jobs/standalone-jobs.ts"
import { debugRoutes } from "../routes/observability/debug.ts"
import { contractRoute, healthRoutes, metricsRoute } from "../routes/observability/health.ts"
import { statsRoutes } from "../routes/observability/stats.ts"
import { streamRoutes } from "../routes/observability/stream.ts"
import { uiRoutes } from "../routes/observability/ui.ts"
import { apiKeyRoutes } from "../routes/people/api-keys.ts"
import { authRoutes } from "../routes/people/auth.ts"
import { oidcRoutes } from "../routes/people/oidc.ts"
import { sessionRoutes } from "../routes/people/sessions.ts"
import { userTaskRoutes } from "../routes/people/user-tasks.ts"
import { scheduleRoutes } from "../routes/schedules/schedules.ts"
import { createHttpServer, type RestServer } from "./plumbing/http-server.ts"

/** Every route there is: tests go through them one by one. */
export const restRoutes = (options: RestOptions): readonly Route[] => [
  ...definitionRoutes,
  ...instanceRoutes,
  ...instanceChangeRoutes,
  ...intakeRoutes,
  ...bulkRoutes,
  ...userTaskRoutes,
  ...jobListRoutes,
  ...endedJobRoutes,
  ...jobRoutes,
  ...standaloneJobRoutes,
  ...queueRoutes,
  ...scheduleRoutes,
  ...deadLetterRoutes,
  ...pauseRoutes,
  ...downstreamRoutes,
  ...jobTypeRoutes,
  ...eventRoutes,
  ...parkedEventRoutes,
  ...sinkRoutes,
  ...statsRoutes,
  ...streamRoutes(options),
  ...healthRoutes(options),
  ...sessionRoutes(options),
  ...apiKeyRoutes,
  ...guardRoutes(options),
  ...authRoutes(options),
  ...oidcRoutes(options),
  contractRoute,
  ...uiRoutes(options),
  ...debugRoutes(options),
  ...(options.metricsOnRest ? [metricsRoute(options)] : []),
]

export const createRestServer = (kernel: Kernel, options: RestOptions): Promise<RestServer> =>
  createHttpServer(kernel, options, restRoutes(options))

/** The routes of a gateway that stands alone: credentials, the guard, health and metrics. */
const gatewayRoutes = (options: RestOptions): readonly Route[] => [
  ...authRoutes(options),
  ...apiKeyRoutes,
  ...guardRoutes(options),
  ...healthRoutes(options),
  ...debugRoutes(options),
  ...(options.metricsOnRest ? [metricsRoute(options)] : []),
]

export const createGatewayServer = (kernel: Kernel, options: RestOptions): Promise<RestServer> =>
  createHttpServer(kernel, options, gatewayRoutes(options))

export const createMetricsServer = (kernel: Kernel, options: RestOptions): Promise<RestServer> =>
  // Probes and Prometheus read it in plain HTTP, as they do behind a proxy.
  createHttpServer(kernel, { ...options, tls: undefined }, [metricsRoute(options), ...healthRoutes(options)])
