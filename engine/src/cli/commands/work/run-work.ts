// What `millrace work` does: opens the engine in this process, and works until a signal comes, or until nothing is ready.

import { isProduction } from "../../../config/named-database.ts"
import { type Config, loadConfig } from "../../../config.ts"
import { openCore } from "../../../core.ts"
import { findEmbeddedDsn, startEmbedded } from "../../../db/embedded.ts"
import { Mill } from "../../../library/running/mill.ts"
import type { Workable } from "../../../library/running/workers.ts"
import type { openMetrics } from "../../../open-metrics.ts"
import type { Logger } from "../../../support/log.ts"
import { startTracing } from "../../../tracing.ts"
import { calledWrongly } from "../../command-error.ts"
import { cellText } from "../../drawing/cell-text.ts"
import { plural } from "../../drawing/times.ts"
import { durationMs } from "../../options/durations.ts"
import { type LogOptions, logSink } from "../../terminal/pretty-log.ts"
import { runUntilStopped, type Started } from "../../terminal/run-until-stopped.ts"
import { say } from "../../terminal/show.ts"
import type { Surroundings } from "../../terminal/surroundings.ts"
import { settlePorts } from "../serve/settle-ports.ts"
import { loadWorks } from "./load-works.ts"
import { createWorkLog } from "./work-log.ts"
import { WorkProgress } from "./work-progress.ts"

const RESERVE_MS = 30_000

export interface WorkOptions extends LogOptions {
  readonly once?: boolean
  readonly deadline?: string
  readonly reserve?: string
  readonly concurrency: number
  readonly json?: boolean
}

export async function runWork(around: Surroundings, module: string, options: WorkOptions): Promise<void> {
  const limits = limitsOf(options)
  const config = loadConfig({ env: around.env, requireDsn: isProduction(around.env) })
  const works = await loadWorks(module, process.cwd())
  const names = works.map(({ name }) => name).join(", ")
  const tell = (text: string) => void around.terminal.write(`${text}\n`)
  const { force, signals = process } = around
  const log = createWorkLog(config.logLevel, logSink(around.terminal, around.env, options))
  const start = async (add: (part: Started) => void) => {
    const metrics = hasMetrics(config) ? tell : undefined
    if (metrics) await settlePorts({ config, mode: "start", rest: false, say: tell })
    const mill = await openMill({ config, log, tell: around.terminal.isTTY ? tell : undefined, metrics }, add)
    await mill.work(works, { concurrency: options.concurrency })
    tell(
      `Working on ${cellText(names)} at ${placeOf(config)}, ${options.concurrency} at a time. Ctrl-C finishes what runs and stops.`,
    )
  }
  if (options.once) await workOnce(around, { config, log, works, options, limits })
  else await runUntilStopped({ start, say: tell, force, signals })
}

/** Several workers, and an engine, may be on one machine: no port is taken that was not asked for. */
const hasMetrics = ({ sources }: Config): boolean => sources.metricsPort !== "default"

/** The database, without user and password. */
function placeOf({ postgresDsn, dataDir }: Config): string {
  if (postgresDsn === undefined) return `the embedded PostgreSQL in ${cellText(dataDir)}`
  if (!URL.canParse(postgresDsn)) return "the database of WE_POSTGRES_DSN"
  const { host, pathname } = new URL(postgresDsn)
  return cellText(host + pathname)
}

interface Limits {
  readonly deadlineMs: number | undefined
  readonly reserveMs: number
}

function limitsOf({ once, deadline, reserve }: WorkOptions): Limits {
  if (!once && (deadline ?? reserve) !== undefined) throw calledWrongly("--deadline and --reserve go with --once")
  if (deadline === undefined && reserve !== undefined) throw calledWrongly("--reserve goes with --deadline")
  const deadlineMs = deadline === undefined ? undefined : durationMs("--deadline", deadline)
  const reserveMs = reserve === undefined ? RESERVE_MS : durationMs("--reserve", reserve)
  if (deadlineMs !== undefined && deadlineMs <= reserveMs)
    throw calledWrongly(
      `--deadline ${deadline} leaves nothing beside the reserve of ${reserve ?? "30s"}: name a shorter --reserve`,
    )
  return { deadlineMs, reserveMs }
}

interface Once {
  readonly config: Config
  readonly log: Logger
  readonly works: readonly Workable[]
  readonly options: WorkOptions
  readonly limits: Limits
}

async function workOnce(around: Surroundings, { config, log, works, options, limits }: Once): Promise<void> {
  const { deadlineMs = Number.POSITIVE_INFINITY, reserveMs } = limits
  const { concurrency } = options
  const parts: Started[] = []
  const stop = listen(around)
  // The time the process needed to get here is gone, too.
  const left = () => (stop.asked() ? 0 : deadlineMs - around.elapsedMs())
  try {
    if (config.postgresDsn === undefined)
      around.terminal.write(`WE_POSTGRES_DSN is not set: this is ${placeOf(config)}.\n`)
    const mill = await openMill({ config, log }, (part) => parts.push(part))
    const outcome = await mill.drain(works, { concurrency, deadline: left, reserve: reserveMs })
    // The form in which a cloud function answers its scheduler.
    say(around, options, { statusCode: 200, ...outcome }, ({ processed, endedBy }) => [
      `Processed ${plural(processed, "job")}${endedBy === "empty" ? "; nothing is ready any more." : "; it was time to stop, more may be ready."}`,
    ])
  } finally {
    stop.close()
    for (const part of parts.reverse()) await part.stop()
  }
}

/** The first signal lets it finish what runs, the second ends it at once. */
function listen({ signals = process, terminal, force }: Surroundings) {
  let asked = false
  const listener = () => {
    if (asked) return force()
    asked = true
    terminal.write("Stopping: open work is finished first (Ctrl-C again ends at once).\n")
  }
  for (const signal of ["SIGINT", "SIGTERM"] as const) signals.on(signal, listener)
  const close = () => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) signals.off(signal, listener)
  }
  return { asked: () => asked, close }
}

interface Opening {
  readonly config: Config
  readonly log: Logger
  /** How far it has come; without it that is not told. */
  readonly tell?: ((line: string) => void) | undefined
  /** Told where the metrics are; without it they are served nowhere. */
  readonly metrics?: ((line: string) => void) | undefined
}

/** On the database of the DSN, on the embedded one that runs in the folder, or on one of its own there. */
async function openMill({ config, log, tell, metrics }: Opening, add: (part: Started) => void): Promise<Mill> {
  const running = config.postgresDsn ?? findEmbeddedDsn(config.dataDir)
  const own = running === undefined ? await startEmbedded({ dataDir: config.dataDir }) : undefined
  if (own) add({ name: "PostgreSQL", stop: () => own.stop() })
  for (const warning of config.warnings) log.warn(warning)
  const tracing = await startTracing(log)
  if (tracing) add({ name: "tracing", stop: () => tracing.stop() })
  const core = await openCore({ ...config, postgresDsn: running ?? own?.dsn }, log)
  const mill = new Mill(core.kernel, core.processId, () => core.stop())
  let draining = false
  if (metrics) add(await serveMetrics({ config, log, core, draining: () => draining }, metrics))
  const progress = tell && new WorkProgress(core.kernel.metrics, tell)
  progress?.start()
  const stop = async () => {
    draining = true
    await mill.stop()
    await progress?.stop()
  }
  add({ name: "the worker", stop })
  return mill
}

/** Loaded here: a worker without metrics needs no server. It is stopped last, so that what is finished meanwhile is counted. */
async function serveMetrics(parts: Parameters<typeof openMetrics>[0], tell: (line: string) => void): Promise<Started> {
  const { openMetrics } = await import("../../../open-metrics.ts")
  const { url, close } = await openMetrics(parts)
  tell(`Metrics at ${url}/metrics, health at ${url}/healthz and /readyz.`)
  return { name: "metrics", stop: close }
}
