// Definitions in memory: a flood of first starts reads them once, and what is forgotten is read again.
import { afterAll, beforeAll, expect, test } from "vitest"
import { end, service, workflow } from "../../test-support/definitions.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { DefinitionCache } from "./definition-cache.ts"

let engine: TestEngine
let asked = 0

beforeAll(async () => {
  engine = await createTestEngine()
  await engine.upload(workflow("flood", [service("a", "end"), end()]))
})
afterAll(() => engine.close())

/** The engine's database, counting what it is asked. */
const counted = () =>
  new Proxy(engine.db, {
    get(db, name) {
      if (name === "query" || name === "read") asked += 1
      const value = Reflect.get(db, name, db)
      return typeof value === "function" ? value.bind(db) : value
    },
  })

test("a thousand first starts at once ask for their definition once", async () => {
  const cache = new DefinitionCache(counted())
  asked = 0
  const found = await Promise.all(Array.from({ length: 1000 }, () => cache.latest("flood")))
  expect(new Set(found).size).toBe(1)
  expect(asked).toBe(1)
  await cache.latest("flood")
  expect(asked).toBe(1)
})

test("what is forgotten while it is being read is read again, and an unknown one is asked for each time", async () => {
  const cache = new DefinitionCache(counted())
  const first = cache.latest("flood")
  cache.forgetLatest("flood")
  asked = 0
  await Promise.all([first, cache.latest("flood")])
  await cache.latest("flood")
  expect(asked).toBe(1)
  expect(await cache.latest("nobody-has-this")).toBeUndefined()
  expect(await cache.latest("nobody-has-this")).toBeUndefined()
  expect(asked).toBe(3)
})

test("of names that have no definition it is asked once a minute, and again after an upload", async () => {
  const cache = new DefinitionCache(counted())
  asked = 0
  expect(await cache.named("no-list", 0)).toBeUndefined()
  expect(cache.named("no-list", 59_999)).toBeUndefined()
  expect(asked).toBe(1)
  expect(await cache.named("no-list", 60_000)).toBeUndefined()
  cache.forgetLatest("no-list")
  expect(await cache.named("no-list", 60_001)).toBeUndefined()
  expect(asked).toBe(3)
})
