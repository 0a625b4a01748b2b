// One scripted engine, one client and one runner per test, put away afterwards.
import { afterEach, beforeEach } from "vitest"
import { EngineClient } from "../client/engine-client.ts"
import type { Handler } from "../worker/handlers.ts"
import { Runner } from "../worker/runner.ts"
import type { RunnerOptions } from "../worker/runner-options.ts"
import { type RecordingLogger, recordingLogger } from "./samples.ts"
import { ScriptedEngine } from "./scripted-engine.ts"

export interface Bench {
  engine: ScriptedEngine
  client: EngineClient
  logger: RecordingLogger
  /** Starts a runner of "charge-card" jobs. */
  run(handler: Handler, options?: Partial<RunnerOptions>): Runner
  make(options: Partial<RunnerOptions>): Runner
}

export function useBench(): Bench {
  const bench = {} as Bench
  let runners: Runner[] = []
  bench.make = (options) => {
    const { client, logger } = bench
    const runner = new Runner({ client, logger, workerId: "worker-1", handlers: {}, ...options })
    runners.push(runner)
    return runner
  }
  bench.run = (handler, options) => bench.make({ handlers: { "charge-card": handler }, ...options }).start()

  beforeEach(async () => {
    runners = []
    bench.logger = recordingLogger()
    bench.engine = await ScriptedEngine.start()
    bench.client = new EngineClient({ url: bench.engine.url })
  })

  afterEach(async () => {
    await Promise.all(runners.map((runner) => runner.stop({ timeoutMs: 0 })))
    bench.client.close()
    await bench.engine.stop()
  })

  return bench
}
