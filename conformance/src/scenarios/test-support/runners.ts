// Real runners over HTTP, stopped after the test that started them.
import { EngineClient, type Logger, Runner, type RunnerOptions } from "@millrace/sdk"
import { afterEach } from "vitest"

export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** Returns a function that starts a runner on a client of its own. */
export function useRunners(url: () => string) {
  const open: { runner: Runner; client: EngineClient }[] = []
  let started = 0

  afterEach(async () => {
    for (const { runner, client } of open.splice(0)) {
      await runner.stop({ timeoutMs: 0 })
      client.close()
    }
  })

  return (handlers: RunnerOptions["handlers"], options: Partial<RunnerOptions> = {}): Runner => {
    const client = new EngineClient({ url: url() })
    const runner = new Runner({ client, handlers, workerId: `runner-${++started}`, logger: silent, ...options }).start()
    open.push({ runner, client })
    return runner
  }
}
