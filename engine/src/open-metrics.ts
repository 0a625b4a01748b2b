// Metrics and health of a process that has no other door: a worker of the library.
import type { Config } from "./config.ts"
import type { Core } from "./core.ts"
import { Sessions } from "./operations/people/sessions.ts"
import { restOptions } from "./rest-options.ts"
import type { Logger } from "./support/log.ts"
import { createMetricsServer } from "./transports/rest/server.ts"

interface OpenMetrics {
  readonly url: string
  close(): Promise<void>
}

interface Parts {
  readonly config: Config
  readonly log: Logger
  readonly core: Core
  readonly draining: () => boolean
}

export async function openMetrics(parts: Parts): Promise<OpenMetrics> {
  const { config, core } = parts
  const server = await createMetricsServer(
    core.kernel,
    restOptions({ ...parts, sessions: new Sessions(core.kernel.db) }),
  )
  return { url: await server.listen(config.metricsPort, config.bindAddress), close: () => server.close() }
}
