// `millrace dev` and `millrace start`: the database if it is ours, then the engine, until a signal comes.
import { banner } from "../../../banner.ts"
import { type Config, isLoopback, tellGuard } from "../../../config.ts"
import { type Embedded, startEmbedded } from "../../../db/embedded.ts"
import type { EngineOptions } from "../../../engine.ts"
import type { Logger } from "../../../support/log.ts"
import { runUntilStopped, type Signals, type Started } from "../../terminal/run-until-stopped.ts"
import type { ChosenServices } from "./chosen-services.ts"
import { settlePorts } from "./settle-ports.ts"

/** What engine.ts gives. */
export interface RunningEngine {
  readonly restUrl: string
  readonly metricsUrl: string
  readonly grpcUrl: string
  stop(): Promise<void>
}

export type StartEngine = (config: Config, log: Logger, options?: EngineOptions) => Promise<RunningEngine>

interface Serve {
  readonly config: Config
  readonly log: Logger
  readonly version: string
  readonly mode: "dev" | "start"
  /** The services to run. Without it, all of them. */
  readonly services?: ChosenServices | undefined
  readonly startEngine: StartEngine
  /** Where the banner and the words about stopping go: not stdout, which is for JSON lines only. */
  readonly terminal: { write(text: string): unknown; readonly isTTY?: boolean }
  readonly colour?: boolean
  readonly force: () => void
  readonly signals?: Signals
}

export async function serve(options: Serve): Promise<void> {
  const { config, log, mode, terminal } = options
  for (const warning of config.warnings) log.warn(warning)
  const say = (text: string) => void (mode === "dev" ? terminal.write(`${text}\n`) : log.info(text))
  const { force, signals = process } = options
  const start = async (add: (part: Started) => void) => {
    const rest = options.services?.rest ?? true
    await startAll({ ...options, config: await settlePorts({ config, mode, rest, say }) }, add)
  }
  await runUntilStopped({ say, force, signals, start })
}

async function startAll(options: Serve, add: (part: Started) => void): Promise<void> {
  const { config, log, mode, version, terminal } = options
  const development = mode === "dev"
  const sample = development
  const embedded = mode === "dev" && config.postgresDsn === undefined ? await startOwnDatabase(config, add) : undefined
  const settled = embedded ? Object.freeze({ ...config, postgresDsn: embedded.dsn }) : config
  const engine = await startTraced({ ...options, config: settled }, { sample, development, ...options.services }, add)
  const loopback = isLoopback(config.bindAddress)
  const keyNeeded = config.auth === "required" || (config.auth === "auto" && !loopback)
  const { restUrl, metricsUrl, grpcUrl } = engine
  const { trustedNetworks } = config
  const guard = tellGuard(config)
  const facts = { version, restUrl, metricsUrl, grpcUrl, loopback, keyNeeded, trustedNetworks, guard, sample }
  const database = embedded ? { embedded } : { databaseVariable: config.variables.postgresDsn }
  if (mode === "dev") terminal.write(`${banner({ ...facts, ...database }, options.colour === true)}\n`)
  else log.info({ ...facts, ...services(options.services) }, "millrace is running")
}

interface Traced {
  readonly config: Config
  readonly log: Logger
  readonly startEngine: StartEngine
}

/** An engine, and before it what its spans are sent by. */
export async function startTraced(
  { config, log, startEngine }: Traced,
  options: EngineOptions,
  add: (part: Started) => void,
): Promise<RunningEngine> {
  // Loaded here: `millrace --help` need not wait for it.
  const { startTracing } = await import("../../../tracing.ts")
  const tracing = await startTracing(log)
  if (tracing) add({ name: "tracing", stop: () => tracing.stop() })
  const engine = await startEngine(config, log, options)
  add({ name: options.gatewayOnly ? "the gateway" : "the engine", stop: () => engine.stop() })
  return engine
}

const services = (chosen: ChosenServices | undefined): object =>
  chosen ? { services: [...(chosen.rest ? ["rest"] : []), ...(chosen.relay ? ["relay"] : []), ...chosen.loops] } : {}

async function startOwnDatabase(config: Config, add: (part: Started) => void): Promise<Embedded> {
  const embedded = await startEmbedded({ dataDir: config.dataDir })
  add({ name: "PostgreSQL", stop: () => embedded.stop() })
  return embedded
}
