// What operators have changed while the engine runs, in memory, so that a claim need not ask the database. The pulse tells when there is something new to read.
import type { Database } from "../../db/database.ts"
import type { Priority } from "../../model/definitions/definition.ts"
import { readWeights, type Weights } from "../../model/flow/weights.ts"
import type { RetryChoice } from "../../model/jobs/standalone-job.ts"
import {
  type DownstreamLimits,
  type LiveRow,
  type Pause,
  type PauseKind,
  readLive,
} from "../../store/flow/live-settings.ts"
import type { QueueKey } from "../../store/flow/queues.ts"
import type { Logger } from "../../support/log.ts"
import { perKernel } from "../kernel/kernel.ts"

export type { DownstreamLimits, Pause, PauseKind } from "../../store/flow/live-settings.ts"

export interface JobTypeDefaults {
  readonly priority?: Priority | undefined
  readonly timeoutMs?: number | undefined
  readonly retries?: number | undefined
  readonly retry?: RetryChoice | undefined
  readonly downstream?: string | undefined
}

interface LiveJobType {
  readonly name: string
  readonly timeoutMs: number | null
  readonly defaults: JobTypeDefaults | null
  readonly largePayload: "fail" | "reference" | null
}

export class LiveSettings {
  readonly #db: Database
  readonly #log: Logger
  readonly #configured: Weights
  readonly #followers = new Set<() => Promise<void>>()
  #version = 0
  #weights: Weights | undefined
  #pauses = new Map<string, Pause>()
  #downstreams = new Map<string, DownstreamLimits>()
  #types = new Map<string, LiveJobType>()

  constructor(db: Database, log: Logger, configured: Weights) {
    this.#db = db
    this.#log = log
    this.#configured = configured
  }

  get version(): number {
    return this.#version
  }

  get weights(): Weights {
    return this.#weights ?? this.#configured
  }

  get weightsSource(): "database" | "config" {
    return this.#weights ? "database" : "config"
  }

  get pauses(): readonly Pause[] {
    return [...this.#pauses.values()]
  }

  downstream(name: string): DownstreamLimits | undefined {
    return this.#downstreams.get(name)
  }

  get downstreams(): readonly DownstreamLimits[] {
    return [...this.#downstreams.values()]
  }

  /** The run timeout of a job type: an operator's word, else its workers'. */
  timeoutMs(jobType: string): number | undefined {
    const type = this.#types.get(jobType)
    return type?.timeoutMs ?? type?.defaults?.timeoutMs
  }

  /** Whether variables that are too large for a message of Kafka are left for the worker to ask for. */
  sendsReference(jobType: string): boolean {
    return this.#types.get(jobType)?.largePayload === "reference"
  }

  /** What its workers have declared for all jobs of a type. */
  defaultsOf(jobType: string): JobTypeDefaults | undefined {
    return this.#types.get(jobType)?.defaults ?? undefined
  }

  pauseOf(kind: PauseKind, name: string): Pause | undefined {
    return this.#pauses.get(pauseName(kind, name))
  }

  /** The pause that keeps the jobs of a queue from being handed out. */
  pauseOfQueue({ priority, jobType, definitionId, downstream }: QueueKey): Pause | undefined {
    if (this.#pauses.size === 0) return undefined
    return (
      this.pauseOf("queue", priority) ??
      this.pauseOf("jobType", jobType) ??
      this.pauseOf("definition", definitionId) ??
      this.pauseOf("downstream", downstream)
    )
  }

  async refresh(): Promise<void> {
    const row = await readLive(this.#db)
    // Before the version is known: where one of them fails, the next beat finds it unread and tries again.
    for (const follow of this.#followers) await follow()
    // Two refreshes may be under way at once: the older answer must not win.
    if (row.version >= this.#version) this.#take(row)
  }

  /** Called whenever there may be something new, by parts that keep other settings in memory. Returns what ends it. */
  follow(read: () => Promise<void>): () => void {
    this.#followers.add(read)
    return () => this.#followers.delete(read)
  }

  #take(row: LiveRow): void {
    this.#version = row.version
    this.#weights = this.#readWeights(row.weights)
    const pauses = JSON.parse(row.pauses) as Pause[]
    this.#pauses = new Map(pauses.map((pause) => [pauseName(pause.kind, pause.name), pause]))
    const downstreams = JSON.parse(row.downstreams) as DownstreamLimits[]
    this.#downstreams = new Map(downstreams.map((limits) => [limits.name, limits]))
    const types = JSON.parse(row.job_types) as LiveJobType[]
    this.#types = new Map(types.map((type) => [type.name, type]))
  }

  /** Judged again, because the row may have been written by hand. */
  #readWeights(text: string | null): Weights | undefined {
    if (text === null) return undefined
    const weights = readWeights(JSON.parse(text))
    if (!weights)
      this.#log.error({ weights: text.slice(0, 200) }, "the stored weights are no weights; using the configured ones")
    return weights
  }
}

const pauseName = (kind: PauseKind, name: string): string => `${kind} ${name}`

export const liveSettingsOf = perKernel(({ db, log, settings }) => new LiveSettings(db.aside, log, settings.weights))
