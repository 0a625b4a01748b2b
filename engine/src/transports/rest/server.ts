// The doors over HTTP: the REST API, and the metrics on a port of their own.
import type { Context } from "../../operations/context.ts"
import { bulkRoutes } from "./bulk.ts"
import { deadLetterRoutes } from "./dead-letters.ts"
import { definitionRoutes } from "./definitions.ts"
import { downstreamRoutes } from "./downstreams.ts"
import { createHttpServer, type RestServer } from "./http-server.ts"
import { instanceChangeRoutes } from "./instance-changes.ts"
import { instanceRoutes } from "./instances.ts"
import { intakeRoutes } from "./intake.ts"
import { jobListRoutes } from "./job-list.ts"
import { jobTypeRoutes } from "./job-types.ts"
import { jobRoutes } from "./jobs.ts"
import { contractRoute, healthRoutes, metricsRoute } from "./operations.ts"
import type { RestOptions } from "./options.ts"
import { pauseRoutes } from "./pauses.ts"
import { queueRoutes } from "./queues.ts"
import type { Route } from "./route.ts"
import { scheduleRoutes } from "./schedules.ts"
import { sessionRoutes } from "./sessions.ts"
import { standaloneJobRoutes } from "./standalone-jobs.ts"
import { statsRoutes } from "./stats.ts"
import { streamRoutes } from "./stream.ts"
import { uiRoutes } from "./ui.ts"
import { userTaskRoutes } from "./user-tasks.ts"

/** Every route there is: tests go through them one by one. */
export const restRoutes = (options: RestOptions): readonly Route[] => [
  ...definitionRoutes,
  ...instanceRoutes,
  ...instanceChangeRoutes,
  ...intakeRoutes,
  ...bulkRoutes,
  ...userTaskRoutes,
  ...jobListRoutes,
  ...jobRoutes,
  ...standaloneJobRoutes,
  ...queueRoutes,
  ...scheduleRoutes,
  ...deadLetterRoutes,
  ...pauseRoutes,
  ...downstreamRoutes,
  ...jobTypeRoutes,
  ...statsRoutes,
  ...streamRoutes(options),
  ...healthRoutes(options),
  ...sessionRoutes(options),
  contractRoute,
  ...uiRoutes(options),
  ...(options.metricsOnRest ? [metricsRoute] : []),
]

export const createRestServer = (ctx: Context, options: RestOptions): Promise<RestServer> =>
  createHttpServer(ctx, options, restRoutes(options))

export const createMetricsServer = (ctx: Context, options: RestOptions): Promise<RestServer> =>
  createHttpServer(ctx, options, [metricsRoute, ...healthRoutes(options)])
