// A terminal in front of a fake engine, for the tests of one file: the engine is started before the first, and has forgotten all before each.
import { afterAll, beforeAll, beforeEach } from "vitest"
import { createFakeEngine, type FakeEngine } from "./fake-engine.ts"
import { type Ran, runCommand, type Terminal } from "./run-command.ts"

interface TestTerminal {
  readonly engine: FakeEngine
  readonly run: (argv: readonly string[], terminal?: Terminal) => Promise<Ran>
  /** The route of each request, with its body where it had one. */
  readonly asked: () => unknown[][]
}

/** `command` stands before the words of every call. */
export function useTerminal(command: readonly string[] = []): TestTerminal {
  const engine = createFakeEngine()
  beforeAll(() => engine.listen())
  afterAll(() => engine.close())
  beforeEach(() => {
    engine.asked.length = 0
    engine.answers = {}
  })
  return {
    engine,
    run: (argv, terminal) =>
      runCommand([...command, ...argv], { env: { WE_URL: engine.url, NO_COLOR: "1" }, ...terminal }),
    asked: () => engine.asked.map(({ route, body }) => (body === undefined ? [route] : [route, body])),
  }
}
