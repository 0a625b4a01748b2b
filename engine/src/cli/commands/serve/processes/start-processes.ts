// The parent of `millrace start --processes`: children that share its ports, each a whole engine. It passes on connections, keeps the
// counters of the guard and puts the metrics of all on one page. A child that dies is started again; the others go on meanwhile.
import cluster, { type Worker } from "node:cluster"
import { once } from "node:events"
import { setTimeout as sleep } from "node:timers/promises"
import { answerStoreCall, MemoryStore, type StoreCall } from "@millrace/guard"
import { AggregatorRegistry, type MetricObjectWithValues, type MetricValue } from "prom-client"
import type { Logger } from "../../../../support/log.ts"
import { withDeadline } from "../../../../transports/calls/deadline.ts"
import { CommandError } from "../../../command-error.ts"
import type { RunningEngine } from "../serve.ts"
import { Line, type Message } from "./line.ts"
import { PROCESS_NUMBER } from "./process-number.ts"
import { wholeLines } from "./whole-lines.ts"

export interface ProcessesOptions {
  readonly count: number
  /** Variables that children get beside the environment of this process: the database and the ports. */
  readonly env: Readonly<Record<string, string>>
  readonly log: Logger
  /** Where the lines of their logs go. */
  readonly out: { write(line: string): unknown }
  readonly err: { write(text: string): unknown }
}

type Urls = Omit<RunningEngine, "stop">

/** Starts the first child alone: it migrates, and a fault in the settings is reported once only. */
export async function startProcesses(options: ProcessesOptions): Promise<RunningEngine> {
  const processes = new Processes(options)
  try {
    const urls = await processes.start(1)
    await Promise.all(Array.from({ length: options.count - 1 }, (_, n) => processes.start(n + 2)))
    processes.keep()
    return { ...urls, stop: () => processes.stop() }
  } catch (error) {
    await processes.stop()
    throw error
  }
}

interface Child {
  readonly worker: Worker
  readonly line: Line
}

/** Without a reason it has told that itself. */
interface End {
  readonly code?: number | null
  readonly signal?: string | null
  readonly reason?: string
}

interface Start {
  readonly resolve: (urls: Urls) => void
  readonly ended: (how: End) => void
}

/** One that ends sooner than this after its start would most likely do so again. */
const SHORT_LIFE_MS = 10_000
const PAUSE_MS = 1_000
/** How long to wait for the metrics of one child. */
const METRICS_MS = 2_000

class Processes {
  readonly #options: ProcessesOptions
  readonly #children = new Map<number, Child>()
  readonly #store = new MemoryStore()
  readonly #stopping = new AbortController()
  /** Before that, a process that ends is a start that has failed. */
  #isKept = false
  readonly #killAll = () => {
    for (const { worker } of this.#children.values()) worker.process.kill("SIGKILL")
  }

  constructor(options: ProcessesOptions) {
    this.#options = options
    // Their output comes through here, line by line: several writers of one pipe would break into each other's lines.
    cluster.setupPrimary({ silent: true })
    process.once("exit", this.#killAll)
  }

  /** From now on, a process that ends is started again. */
  keep(): void {
    this.#isKept = true
  }

  /** Resolves when it answers; rejects when it ends before that. */
  start(number: number): Promise<Urls> {
    const startedAt = performance.now()
    return new Promise((resolve, reject) => {
      const ended = (how: End) => {
        this.#children.get(number)?.line.cut(`process ${number} is gone`)
        this.#children.delete(number)
        const { code, signal, reason } = how
        const words = `process ${number} has ended before it could answer (${reason ?? code ?? signal})`
        reject(new CommandError(reason === undefined ? `${words}: its reason is above` : words))
        void this.#ended(number, { ...how, startedAt })
      }
      try {
        this.#fork(number, { resolve, ended })
      } catch (error) {
        ended({ reason: (error as Error).message })
      }
    })
  }

  #fork(number: number, { resolve, ended }: Start): void {
    const worker = cluster.fork({ ...this.#options.env, [PROCESS_NUMBER]: String(number) })
    const line = new Line(
      { send: (message, failed) => worker.send(message, failed) },
      {
        running: (urls: Urls) => {
          this.#options.log.info({ process: number, pid: worker.process.pid }, "a process is running")
          resolve(urls)
        },
        store: (call: StoreCall) => answerStoreCall(this.#store, call),
        metrics: () => this.#metricsOfAll(),
      },
    )
    this.#children.set(number, { worker, line })
    worker.on("message", (message: Message) => line.hear(message))
    if (worker.process.stdout) wholeLines(worker.process.stdout, this.#options.out)
    if (worker.process.stderr) wholeLines(worker.process.stderr, this.#options.err)
    worker.once("exit", (code, signal) => ended({ code, signal }))
    // The child could not be started, so it has no exit: there is no room, or node itself was replaced.
    worker.on("error", (error) => worker.process.pid === undefined && ended({ reason: error.message }))
  }

  async #ended(number: number, { startedAt, ...how }: End & { readonly startedAt: number }): Promise<void> {
    const { signal: stopping } = this.#stopping
    if (stopping.aborted || !this.#isKept) return
    this.#options.log.warn(
      { process: number, ...how },
      "a process has ended: it is started again, and the others go on",
    )
    if (performance.now() - startedAt < SHORT_LIFE_MS)
      await sleep(PAUSE_MS, undefined, { signal: stopping }).catch(() => {})
    if (!stopping.aborted) await this.start(number).catch(() => {})
  }

  async #metricsOfAll(): Promise<string> {
    const read = ({ line }: Child) => withDeadline(() => line.ask("metrics"), METRICS_MS).catch(() => [])
    const all = await Promise.all([...this.#children.values()].map(read))
    return AggregatorRegistry.aggregate(all as MetricObjectWithValues<MetricValue<string>>[][]).metrics()
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    const ending = [...this.#children.values()].map(({ worker }) => {
      const ended = once(worker, "exit")
      worker.process.kill("SIGTERM")
      return ended
    })
    await Promise.all(ending)
    process.off("exit", this.#killAll)
  }
}
