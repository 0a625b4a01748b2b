// A gateway from its database to its banner, until a signal comes.
import { readUpstreams } from "../../../config/gateway/gateway-file.ts"
import { type Config, isLoopback } from "../../../config.ts"
import { startEmbedded } from "../../../db/embedded.ts"
import type { Logger } from "../../../support/log.ts"
import { calledWrongly } from "../../command-error.ts"
import { runUntilStopped, type Signals, type Started } from "../../terminal/run-until-stopped.ts"
import { type StartEngine, startTraced } from "../serve/serve.ts"
import { settlePorts } from "../serve/settle-ports.ts"
import { gatewayBanner } from "./gateway-banner.ts"

export interface GatewayRun {
  readonly config: Config
  readonly log: Logger
  readonly version: string
  readonly startEngine: StartEngine
  readonly terminal: { write(text: string): unknown }
  readonly colour: boolean
  readonly force: () => void
  readonly signals?: Signals
}

export async function runGateway(options: GatewayRun): Promise<void> {
  const { config, log, terminal, force, signals = process } = options
  if (upstreamsOf(config).length === 0)
    throw calledWrongly("there is nothing to forward to: give --upstream http://… or --config <file>; see --help")
  for (const warning of config.warnings) log.warn(warning)
  const say = (text: string) => void terminal.write(`${text}\n`)
  const start = async (add: (part: Started) => void) => {
    const settled = await settlePorts({ config, mode: "dev", rest: true, say })
    await startAll({ ...options, config: settled }, add)
  }
  await runUntilStopped({ say, force, signals, start })
}

const upstreamsOf = (config: Config) =>
  readUpstreams({ upstream: config.gatewayUpstream, file: config.gatewayConfigFile })

async function startAll(options: GatewayRun, add: (part: Started) => void): Promise<void> {
  const { config, log, terminal, version } = options
  const embedded = config.postgresDsn === undefined ? await startEmbedded({ dataDir: config.dataDir }) : undefined
  if (embedded) add({ name: "PostgreSQL", stop: () => embedded.stop() })
  const settled = embedded ? Object.freeze({ ...config, postgresDsn: embedded.dsn }) : config
  const engine = await startTraced({ ...options, config: settled }, { gatewayOnly: true, relay: false }, add)
  const { restUrl, metricsUrl } = engine
  const facts = {
    version,
    restUrl,
    metricsUrl,
    upstreams: upstreamsOf(config),
    loopback: isLoopback(config.bindAddress),
    signsTokens: config.jwtSecret !== undefined || config.jwtKeyFiles.length > 0,
    guard: config.guard !== "off",
    embeddedIn: embedded?.dataDir,
    databaseVariable: config.variables.postgresDsn,
  }
  terminal.write(`${gatewayBanner(facts, options.colour)}\n`)
  log.info(
    { restUrl, metricsUrl, upstreams: facts.upstreams.map(({ path, to }) => ({ path, to })) },
    "the gateway is running",
  )
}
