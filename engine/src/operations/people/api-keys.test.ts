// Keys on a real database: what is remembered of them, and for how long.
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest"
import { holdLoops } from "../../test-support/loops.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { createApiKey, credentialDigest, KeyRing, revokeApiKey } from "./api-keys.ts"

let engine: TestEngine

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
})
afterEach(() => void vi.restoreAllMocks())
afterAll(() => engine.close())

const newKey = () => createApiKey(engine.db, { name: "ada", scopes: ["instances:read"] })

const START = 1_000_000

/** This process's own clock, by which it remembers, stands here: a slow machine does not move it. */
const stopClockAt = (ms: number) => void vi.spyOn(performance, "now").mockReturnValue(START + ms)

const watchQueries = () => vi.spyOn(engine.db, "query")
type Queries = ReturnType<typeof watchQueries>

const sent = ({ mock }: Queries, name: string) =>
  mock.calls.flatMap(([statement], at) => (statement.name === `api-keys.${name}` ? [mock.results[at]?.value] : []))

/** A look ends with the note that the key was used. */
async function lookHasEnded(queries: Queries): Promise<void> {
  await expect.poll(() => sent(queries, "touchApiKey").length).toBe(1)
  await Promise.all(sent(queries, "touchApiKey"))
  await new Promise((resolve) => setImmediate(resolve))
}

test("many calls with one key ask the database once, and what is remembered is there at once", async () => {
  const { id, key } = await newKey()
  stopClockAt(0)
  const ring = new KeyRing(engine.db)
  const queries = watchQueries()
  const found = await Promise.all(Array.from({ length: 32 }, () => ring.find(key)))
  expect(found.every((principal) => principal?.id === id)).toBe(true)
  expect(ring.find(key, credentialDigest(key))).toBe(found[0])
  expect(sent(queries, "findApiKey")).toHaveLength(1)
})

test("a key that is in use is asked for anew before its answer runs out, and no call waits for that", async () => {
  const { id, key } = await newKey()
  stopClockAt(0)
  const ring = new KeyRing(engine.db)
  await ring.find(key)
  stopClockAt(2_500)
  const queries = watchQueries()
  for (let call = 0; call < 5; call++) expect(ring.find(key)).toMatchObject({ id })
  await lookHasEnded(queries)
  expect(sent(queries, "findApiKey")).toHaveLength(1)
  stopClockAt(4_000)
  expect(ring.find(key), "the first answer has run out by now").toMatchObject({ id })
})

test("SEC-16: a revoked key is refused when its answer has run out, and not renewed before", async () => {
  const { id, key } = await newKey()
  stopClockAt(0)
  const ring = new KeyRing(engine.db)
  await ring.find(key)
  await revokeApiKey(engine.db, id)
  stopClockAt(2_999)
  expect(ring.find(key)).toMatchObject({ id })
  stopClockAt(3_000)
  expect(await ring.find(key)).toBeUndefined()
})
