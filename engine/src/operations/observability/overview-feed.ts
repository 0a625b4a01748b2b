// The overview for clients that keep watching: read once a second for all watchers of this process together, and not at all without one.
import { type InstanceVersion, listVersions } from "../../store/observability/overview.ts"
import { EngineError } from "../../support/errors.ts"
import { perKernel } from "../kernel/kernel.ts"
import { type ProcessClock, processClock } from "../kernel/process-clock.ts"
import { type Overview, readOverview } from "./read-overview.ts"

export interface Watcher {
  readonly instanceIds: readonly string[]
  /** `data` is JSON. */
  tell(event: "overview" | "instance", data: string): void
  /** Nothing more will come. */
  end(): void
}

interface Readers {
  overview(): Promise<Overview>
  instances(ids: readonly string[]): Promise<readonly InstanceVersion[]>
  failed(error: unknown): void
}

interface Reading {
  readonly atMs: number
  readonly overview: string
  /** The overview without its time: what makes it news. */
  readonly content: string
  /** The JSON of each instance as it was sent, by id. */
  readonly instances: ReadonlyMap<string, string>
}

/** What a watcher has been told. */
interface Told {
  overview: boolean
  readonly instances: Map<string, string>
}

const EVERY_MS = 1_000
/** The interval for repeating an unchanged answer: a watcher that hears nothing for longer has lost its connection. */
const QUIET_MS = 15_000
const MOST_WATCHERS = 200
/** After so many readings in a row that failed the streams are ended, so that the watchers notice and come back. */
const MOST_FAILURES = 3

export class OverviewFeed {
  readonly #readers: Readers
  readonly #watchers = new Map<Watcher, Told>()
  readonly #clock: ProcessClock
  /** Calls the next reading off. */
  #callOff: (() => void) | undefined
  #isReading = false
  #latest: Reading | undefined
  #toldAtMs = 0
  #failures = 0

  constructor(readers: Readers, clock: ProcessClock = processClock) {
    this.#readers = readers
    this.#clock = clock
  }

  /** Tells at once what it knows, and from then on what is new. Returns how to leave. */
  join(watcher: Watcher): () => void {
    if (this.#watchers.size >= MOST_WATCHERS)
      throw new EngineError(
        "unavailable",
        "too many streams are open here; try again later, or read /v1/overview now and then",
      )
    const told: Told = { overview: false, instances: new Map() }
    this.#watchers.set(watcher, told)
    const age = this.#latest ? this.#clock.nowMs() - this.#latest.atMs : EVERY_MS
    if (this.#latest && age < EVERY_MS) this.#tell(watcher, told, this.#latest)
    if (!this.#isReading && !this.#callOff) this.#lookAfter(EVERY_MS - age)
    return () => this.#leave(watcher)
  }

  /** The process stops, or its door closes: the watchers may connect to another process. */
  end(): void {
    for (const watcher of [...this.#watchers.keys()]) {
      this.#leave(watcher)
      watcher.end()
    }
  }

  #leave(watcher: Watcher): void {
    this.#watchers.delete(watcher)
    if (this.#watchers.size > 0) return
    this.#callOff?.()
    this.#callOff = undefined
  }

  #lookAfter(ms: number): void {
    this.#callOff = this.#clock.after(Math.max(0, ms), () => this.#look())
  }

  #look(): void {
    const startedAt = this.#clock.nowMs()
    this.#callOff = undefined
    this.#isReading = true
    this.#read(startedAt)
      .then((reading) => this.#publish(reading))
      .catch((error) => this.#fail(error))
      .finally(() => {
        this.#isReading = false
        if (this.#watchers.size > 0) this.#lookAfter(EVERY_MS - (this.#clock.nowMs() - startedAt))
      })
  }

  async #read(atMs: number): Promise<Reading> {
    const ids = [...new Set([...this.#watchers.keys()].flatMap(({ instanceIds }) => instanceIds))]
    const [overview, instances] = await Promise.all([
      this.#readers.overview(),
      ids.length > 0 ? this.#readers.instances(ids) : [],
    ])
    const { at: _, ...content } = overview
    return {
      atMs,
      overview: JSON.stringify(overview),
      content: JSON.stringify(content),
      instances: new Map(instances.map((instance) => [instance.id, JSON.stringify(instance)])),
    }
  }

  #fail(error: unknown): void {
    this.#readers.failed(error)
    this.#failures += 1
    if (this.#failures % MOST_FAILURES === 0) this.end()
  }

  #publish(reading: Reading): void {
    this.#failures = 0
    const isNews = reading.content !== this.#latest?.content || reading.atMs - this.#toldAtMs >= QUIET_MS
    if (isNews) this.#toldAtMs = reading.atMs
    this.#latest = reading
    for (const [watcher, told] of [...this.#watchers]) {
      if (isNews) told.overview = false
      this.#tell(watcher, told, reading)
    }
  }

  #tell(watcher: Watcher, told: Told, { overview, instances }: Reading): void {
    if (!told.overview) watcher.tell("overview", overview)
    told.overview = true
    for (const id of watcher.instanceIds) {
      const instance = instances.get(id)
      if (instance === undefined || told.instances.get(id) === instance) continue
      told.instances.set(id, instance)
      watcher.tell("instance", instance)
    }
  }
}

export const feedOf = perKernel(
  (kernel) =>
    new OverviewFeed({
      overview: () => readOverview(kernel),
      instances: (ids) => listVersions(kernel.db, ids),
      failed: (error) => kernel.log.debug({ err: error }, "the overview was not read"),
    }),
)
