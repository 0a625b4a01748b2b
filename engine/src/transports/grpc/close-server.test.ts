// The end of the server does not depend on connections that may never end by themselves.
import { expect, test, vi } from "vitest"
import { closeServer } from "./close-server.ts"
import { UnderWay } from "./under-way.ts"

const endless = () => ({ drain: () => new Promise<void>(() => {}), cut: vi.fn() })

test("F13: where no handler works, the server closes though a connection does not end", async () => {
  const server = endless()
  await closeServer(server, new UnderWay(), 3_600_000)
  expect(server.cut).toHaveBeenCalledTimes(1)
})

test("F13: a handler that never ends is cut off when the time is over", async () => {
  const server = endless()
  const underWay = new UnderWay()
  void underWay.work(() => new Promise(() => {}))
  await closeServer(server, underWay, 10)
  expect(server.cut).toHaveBeenCalledTimes(1)
})
