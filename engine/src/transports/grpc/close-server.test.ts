// The end of the server does not depend on a callback that may never come.
import { expect, test, vi } from "vitest"
import { closeServer } from "./close-server.ts"
import { UnderWay } from "./under-way.ts"

test("F13: where no handler works, the server closes though a connection broke just then and its end is never told", async () => {
  const server = { tryShutdown: vi.fn(), forceShutdown: vi.fn() }
  await closeServer(server, new UnderWay(), 3_600_000)
  expect(server.forceShutdown).toHaveBeenCalledTimes(1)
})

test("F13: a handler that never ends is cut off when the time is over", async () => {
  const server = { tryShutdown: vi.fn(), forceShutdown: vi.fn() }
  const underWay = new UnderWay()
  underWay.stream(() => new Promise(() => {}))(undefined)
  await closeServer(server, underWay, 10)
  expect(server.forceShutdown).toHaveBeenCalledTimes(1)
})
