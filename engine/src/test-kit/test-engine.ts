// The real engine on a schema of its own, for tests: with a clock that can be moved, and nothing left behind.
import { configOfOptions } from "../config/option-config.ts"
import { type Core, openCore } from "../core.ts"
import type { AnyWorkflow, PayloadOf, ResultOf } from "../library/authoring/workflow.ts"
import { openInCatalogue, tellInCatalogue } from "../library/running/catalogue-errors.ts"
import { Mill, type StartOptions } from "../library/running/mill.ts"
import type { WorkOptions } from "../library/running/workers.ts"
import { DURATION_HINT, parseDuration } from "../model/kernel/durations.ts"
import { badRequest } from "../support/errors.ts"
import { createLogger } from "../support/log.ts"
import { createPrivateSchema, type PrivateSchema } from "./private-schema.ts"
import type { RunView } from "./run-view.ts"
import { type Stubs, stub } from "./stub.ts"
import { TestClock } from "./test-clock.ts"
import { databaseOf } from "./test-database.ts"
import { VirtualTime } from "./virtual-time.ts"

export interface TestEngineOptions {
  /** A connection string. Otherwise DATABASE_URL, or a PostgreSQL that is started once per process. */
  readonly database?: string | undefined
  /** A name for the schema; it must not be there yet, and is dropped by `close()`. */
  readonly schema?: string | undefined
  readonly logLevel?: "debug" | "info" | "warn" | "error" | "silent"
}

export interface RunOptions extends StartOptions {
  /** Workflows that this one starts, to be worked as well. */
  readonly children?: readonly AnyWorkflow[]
}

export interface TestEngine {
  readonly mill: Mill
  /** For looking at its tables, or for a `millrace({ database, schema })` beside it. */
  readonly database: string
  readonly schema: string
  /** A worker that runs beside the test, as in production. */
  work(workflows: readonly AnyWorkflow[], options?: WorkOptions): Promise<{ stop(): Promise<void> }>
  /** Starts a run and works it until it has ended, or waits for a time, a signal or a person. */
  run<Of extends AnyWorkflow>(workflow: Of, input: PayloadOf<Of>, options?: RunOptions): Promise<RunView<ResultOf<Of>>>
  /** Works whatever there is to do for a run, after a signal for instance, and shows how it stands then. */
  settle<Of extends AnyWorkflow = AnyWorkflow>(id: string): Promise<RunView<ResultOf<Of>>>
  /**
   * Moves the clock, by text such as 10m or PT10M or by milliseconds. Everything that falls due on the way happens in its order and at its time:
   * retries, the ends of sleeps, timeouts; and what comes of it is worked before the clock moves on.
   */
  advance(duration: string | number): Promise<void>
  /** The same workflow with other functions under the names of some steps. */
  stub<Of extends AnyWorkflow>(workflow: Of, stubs: Stubs<Of>): Of
  /** Lets running steps finish, closes everything, and drops the schema. */
  close(): Promise<void>
}

export const testEngine = (options?: TestEngineOptions): Promise<TestEngine> => openTestEngine(options)

const POLL_MS = 2
const HAND = "test-engine"

export class PrivateEngine implements TestEngine {
  static {
    tellInCatalogue(PrivateEngine)
  }
  readonly mill: Mill
  readonly database: string
  readonly schema: string
  readonly core: Core
  readonly time: VirtualTime
  /** Worked here when there is something to do, unless a worker does. */
  readonly #known = new Map<string, AnyWorkflow>()
  readonly #workers = new Set<{ readonly id: string; readonly names: readonly string[] }>()
  readonly #drop: () => Promise<void>

  constructor(core: Core, clock: TestClock, { database, schema }: { database: string; schema: PrivateSchema }) {
    this.core = core
    this.mill = new Mill(core.kernel, core.processId, () => core.stop())
    this.time = new VirtualTime(core.kernel, clock, () => [...this.#workers].map(({ id }) => id))
    this.database = database
    this.schema = schema.name
    this.#drop = schema.drop
  }

  async work(workflows: readonly AnyWorkflow[], options: WorkOptions = {}): Promise<{ stop(): Promise<void> }> {
    const worker = await this.mill.work(workflows, options)
    const known = { id: options.workerId ?? this.core.processId, names: workflows.map(({ name }) => name) }
    this.#workers.add(known)
    return { stop: () => worker.stop().finally(() => this.#workers.delete(known)) }
  }

  async run<Of extends AnyWorkflow>(
    workflow: Of,
    input: PayloadOf<Of>,
    { children = [], ...options }: RunOptions = {},
  ): Promise<RunView<ResultOf<Of>>> {
    for (const each of [workflow, ...children]) this.#known.set(each.name, each)
    const { id } = await this.mill.start(workflow, input, options)
    return this.settle<Of>(id)
  }

  async settle<Of extends AnyWorkflow = AnyWorkflow>(id: string): Promise<RunView<ResultOf<Of>>> {
    await this.#workUntilIdle(id)
    return (await this.mill.runs.get(id)) as RunView<ResultOf<Of>>
  }

  async advance(duration: string | number): Promise<void> {
    const ms = millisecondsOf(duration)
    await this.#workUntilIdle()
    const end = (await this.time.now()) + ms
    while (await this.time.hop(end)) await this.#workUntilIdle()
    await this.time.moveTo(end)
    await this.#workUntilIdle()
  }

  stub<Of extends AnyWorkflow>(workflow: Of, stubs: Stubs<Of>): Of {
    return stub(workflow, stubs)
  }

  async close(): Promise<void> {
    await this.mill.stop()
    await this.#drop()
  }

  async #workUntilIdle(id?: string): Promise<void> {
    for (;;) {
      await this.#drain()
      if (await this.time.release()) continue
      const worked = [...this.#workers].flatMap(({ names }) => names)
      if (!(await this.time.isBusy(id, [...worked, ...this.#known.keys()]))) return
      await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    }
  }

  /** What no worker works on. When this is done, no other worker does what it has left undone. */
  async #drain(): Promise<void> {
    const worked = new Set([...this.#workers].flatMap(({ names }) => names))
    const ours = [...this.#known.values()].filter(({ name }) => !worked.has(name))
    if (ours.length === 0) return
    const hand = { id: HAND, names: [] }
    this.#workers.add(hand)
    await this.mill.drain(ours, { workerId: HAND }).finally(() => this.#workers.delete(hand))
  }
}

export const openTestEngine = (options?: TestEngineOptions): Promise<PrivateEngine> => openInCatalogue(open(options))

async function open(options: TestEngineOptions = {}): Promise<PrivateEngine> {
  const database = await databaseOf(options.database)
  // Three connections are too few to listen, and there is no other process to listen to.
  const config = configOfOptions("testEngine()", { postgresDsn: database, dbMaxConns: 3 })
  const schema = await createPrivateSchema(database, options.schema)
  const clock = new TestClock()
  try {
    const log = createLogger({ level: options.logLevel ?? "silent" })
    // Without jitter: a retry in 30 s is one in 30 s.
    const core = await openCore({ ...config, schema: schema.name }, log, { clock, random: () => 0.5 })
    return new PrivateEngine(core, clock, { database, schema })
  } catch (error) {
    await schema.drop()
    throw error
  }
}

function millisecondsOf(duration: string | number): number {
  const ms = typeof duration === "string" ? parseDuration(duration) : duration
  if (ms !== undefined && Number.isFinite(ms) && ms >= 0) return ms
  throw badRequest(`the clock cannot be moved by ${JSON.stringify(duration)}: give milliseconds, or ${DURATION_HINT}`)
}
