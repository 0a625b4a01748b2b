// An engine that pushes jobs into a Kafka in memory, for tests of dispatch: the relay, the watch and the reaper run when a test says so.
import { afterAll, beforeAll, beforeEach } from "vitest"
import { beginDispatching } from "../operations/jobs/dispatch/begin-dispatching.ts"
import { dispatchingOf } from "../operations/jobs/dispatch/dispatching.ts"
import { jobRelayOf } from "../operations/jobs/dispatch/relay.ts"
import { watchConsumers } from "../operations/jobs/dispatch/watch-consumers.ts"
import type { ReportOutcome } from "../operations/jobs/end/report.ts"
import { reportJob } from "../operations/jobs/end/report-jobs.ts"
import type { JsonObject } from "../support/json.ts"
import { holdLoops, noTerm } from "./loops.ts"
import { MemoryBroker, type Published } from "./memory-broker.ts"
import { createTestEngine, type TestEngine } from "./test-engine.ts"

interface DispatchBench {
  readonly engine: TestEngine
  /** A new one for each test. */
  readonly broker: MemoryBroker
  readonly rows: (sql: string) => Promise<readonly Record<string, unknown>[]>
  /** Relays until there is nothing more, as the leader does. */
  relay(): Promise<void>
  watch(): Promise<boolean>
  /** Reports without a token, as Kafka workers do, unless `more` has one. */
  report(message: Published, verb: "complete" | "fail", more?: object): Promise<ReportOutcome>
}

/** Set up before the tests of the file, and for each of them. */
export function dispatchBench(jobTypes: readonly string[], definition: JsonObject): DispatchBench {
  let engine: TestEngine
  let broker: MemoryBroker
  beforeAll(async () => {
    engine = await createTestEngine()
    await holdLoops(engine.kernel)
    await engine.upload(definition)
  })
  afterAll(() => engine.close())
  beforeEach(async () => {
    await dispatchingOf(engine.kernel).close()
    await engine.db.script("delete from millrace.dispatches; delete from millrace.jobs")
    broker = new MemoryBroker(jobTypes)
    engine.kernel.metrics.registry.clear()
    await beginDispatching(engine.kernel, { broker, batchMax: 200, leads: false })
  })
  return {
    get engine() {
      return engine
    },
    get broker() {
      return broker
    },
    rows: (sql) => engine.db.script(sql),
    async relay() {
      while (await jobRelayOf(engine.kernel).round(noTerm));
    },
    watch: () => watchConsumers(engine.kernel, noTerm),
    report({ job }, verb, more = {}) {
      const base = { jobId: job.id, workerId: "any", token: undefined, actor: "any" }
      return verb === "complete"
        ? reportJob(engine.kernel, { ...base, verb, variables: {}, ...more })
        : reportJob(engine.kernel, { ...base, verb, message: "boom", retryable: true, retryAfterMs: 0, ...more })
    },
  }
}
