// An event is judged by the model at the doors of the engine, and by the database where SQL publishes it: both say the same.
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { headersFault, typeFault } from "../../model/events/event-rules.ts"
import { holdLoops } from "../../test-support/loops.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"

let engine: TestEngine

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

const quoted = (text: string) => `'${text.replaceAll("'", "''")}'`

async function sqlAccepts(type: string, headers: object): Promise<boolean> {
  const call = `select millrace.expect_event(${quoted(type)}, '{}', null, ${quoted(JSON.stringify(headers))})`
  return engine.db.script(call).then(
    () => true,
    (error) => {
      // Another failure than a refusal is one of this test.
      expect(error).toMatchObject({ code: expect.stringMatching(/^(22023|54000)$/) })
      return false
    },
  )
}

const odd = fc.constantFrom("a", "Z", "0", "_", ":", ".", "-", " ", "\n", "/", "é", "\t", "~", "workflow.", "workflow")
const types = fc.oneof(
  fc.array(odd, { maxLength: 6 }).map((parts) => parts.join("")),
  fc.constantFrom("", "a".repeat(200), "a".repeat(201)),
)
const texts = fc.array(odd, { maxLength: 4 }).map((parts) => parts.join(""))

test("S17: the type of an event is good in SQL where it is good at the other doors", async () => {
  await fc.assert(
    fc.asyncProperty(types, async (type) => {
      expect(await sqlAccepts(type, {})).toBe(typeFault(type) === undefined)
    }),
    { numRuns: 150, seed: 17 },
  )
})

test("S17: so are its headers", async () => {
  await fc.assert(
    fc.asyncProperty(fc.dictionary(texts, fc.oneof(texts, fc.integer()), { maxKeys: 2 }), async (headers) => {
      expect(await sqlAccepts("paid", headers)).toBe(headersFault(headers) === undefined)
    }),
    { numRuns: 150, seed: 18 },
  )
})
