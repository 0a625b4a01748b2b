// An outage that no request meets: the log has its beginning and its end, once each.
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { Worker } from "../../library/running/worker.ts"
import { eventually } from "../../test-support/mills.ts"
import { createSeverableProxy, type SeverableProxy } from "../../test-support/severable-proxy.ts"
import { createTestDatabase, createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { databaseWatchOf } from "./database-watch.ts"

let proxy: SeverableProxy
let drop: () => Promise<void>
let engine: TestEngine

beforeAll(async () => {
  const database = await createTestDatabase()
  drop = database.drop
  proxy = await createSeverableProxy(database.dsn)
  engine = await createTestEngine({ WE_POSTGRES_DSN: proxy.dsn })
})
afterAll(async () => {
  await engine.close()
  await proxy.close()
  await drop()
})

test("F25: an idle engine with an idle worker says once that the database is away, and once that it is back", async () => {
  const { log } = engine.kernel
  const spies = [vi.spyOn(log, "error"), vi.spyOn(log, "warn")]
  const said = () => spies.flatMap((spy) => spy.mock.calls.map((words) => String(words.at(-1))))
  const beats = vi.spyOn(log, "debug")
  const worker = new Worker(engine.kernel, { workerId: "idle", attempts: {} }).start()
  await proxy.sever()
  await eventually(
    () => beats.mock.calls.filter(([, words]) => words === "the pulse was not answered").length >= 3,
  ).toBe(true)
  const away = "the database is away: calls fail and work waits until it is back"
  expect(said()).toEqual([away])
  await proxy.heal()
  await eventually(said).toEqual([away, "the database is back"])
  await worker.stop()
})

test("what is no fault of the database is not told by its watch", () => {
  expect(databaseWatchOf(engine.kernel).failed(new Error("ours"))).toBe(false)
})

test("F46: what the database refuses is told once while it refuses, though every question is answered", async () => {
  const watch = databaseWatchOf(engine.kernel)
  const [refused, back] = [vi.spyOn(engine.kernel.log, "error"), vi.spyOn(engine.kernel.log, "warn")]
  for (const spy of [refused, back]) spy.mockClear()
  const told = (spy: typeof refused) => spy.mock.calls.filter(([, words]) => String(words).includes("refuses")).length
  const full = await engine.db
    .script("do $$ begin raise exception 'No space left on device' using errcode = '53100'; end $$")
    .catch((error: unknown) => error)
  for (let turn = 0; turn < 5; turn++) {
    expect(watch.failed(full)).toBe(true)
    watch.answered()
    await engine.db.script("select 1")
  }
  expect([told(refused), back.mock.calls.length]).toEqual([1, 0])
})
