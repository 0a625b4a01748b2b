// `millrace dev` and `millrace start`: the engine, until a signal comes.
import { type Command, InvalidArgumentError } from "commander"
import { type Config, loadConfig } from "../../../config.ts"
import { createLogger, type Logger } from "../../../support/log.ts"
import { wantsColour } from "../../drawing/paint.ts"
import { positiveWhole } from "../../options/numbers.ts"
import { type LogOptions, logSink, withLogFormat } from "../../terminal/pretty-log.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { chosenServices, SERVICE_NAMES } from "./chosen-services.ts"
import { PROCESS_NUMBER } from "./processes/process-number.ts"
import { type StartEngine, serve } from "./serve.ts"

type Mode = "dev" | "start"

interface ServeOptions extends LogOptions {
  readonly services?: string
  readonly processes?: number
}

export function addServe(program: Command, around: Surroundings): void {
  const run = (mode: Mode) => (options: ServeOptions) => runMode(mode, options, around)
  withLogFormat(
    withProcesses(
      program
        .command("dev")
        .description(
          "Run everything on this machine: an embedded PostgreSQL (unless a DSN is set), the engine and a sample.",
        ),
    ),
  ).action(run("dev"))
  withProcesses(
    program
      .command("start")
      .description("Run the engine for production on the database in WE_POSTGRES_DSN.")
      .option(
        "--services <names>",
        `only these, separated by commas (default: all): ${SERVICE_NAMES.join(", ")}; without rest it opens no REST port`,
      ),
  ).action(run("start"))
}

const withProcesses = (command: Command): Command =>
  command.option(
    "--processes <number>",
    "how many processes share the ports: for machines with several cores; each opens connections of its own (DB_MAX_CONNS)",
    processCount,
  )

/** Far above what one machine has use for: a number that was mistyped must not stop it. */
const MOST_PROCESSES = 64

function processCount(text: string): number {
  const count = positiveWhole(text)
  if (count > MOST_PROCESSES)
    throw new InvalidArgumentError(`It must be at most ${MOST_PROCESSES}; about one for each core is enough.`)
  return count
}

async function runMode(mode: Mode, options: ServeOptions, around: Surroundings): Promise<void> {
  const services = options.services === undefined ? undefined : chosenServices(options.services)
  const config = loadConfig({ env: around.env, requireDsn: mode === "start" })
  const { startEngine } = await import("../../../engine.ts")
  const joined = around.env[PROCESS_NUMBER] ? await joinParent() : undefined
  if (joined) {
    const { serveAsChild } = await import("./processes/serve-as-child.ts")
    const log = createLogger({ level: config.logLevel }).child({ process: joined.number })
    return serveAsChild({ joined, config, log, development: mode === "dev", services, startEngine })
  }
  // In production programs read the log, whatever it is written to.
  const sink = mode === "dev" ? logSink(around.screen, around.env, options) : undefined
  const log = createLogger({ level: config.logLevel, ...(sink ? { destination: sink } : {}) })
  const { version, terminal, force } = around
  const { processes = 1 } = options
  await serve({
    config,
    log,
    version,
    mode,
    terminal,
    force,
    services,
    startEngine:
      processes > 1 ? await severalOf(processes, { log, out: sink ?? around.screen, err: terminal }) : startEngine,
    colour: wantsColour(terminal, around.env),
  })
}

const joinParent = async () => (await import("./processes/join-parent.ts")).joinParent()

interface Outputs {
  readonly log: Logger
  readonly out: { write(text: string): unknown }
  readonly err: { write(text: string): unknown }
}

/** Starts children instead of one engine in this process, and passes on to them what was settled. */
async function severalOf(count: number, outputs: Outputs): Promise<StartEngine> {
  const { startProcesses } = await import("./processes/start-processes.ts")
  return (config) => startProcesses({ count, env: settledEnvironment(config), ...outputs })
}

const settledEnvironment = ({ postgresDsn = "", grpcPort, metricsPort }: Config): Record<string, string> => ({
  WE_POSTGRES_DSN: postgresDsn,
  WE_GRPC_PORT: String(grpcPort),
  WE_METRICS_PORT: String(metricsPort),
})
