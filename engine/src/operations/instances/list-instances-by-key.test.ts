// What a page of instances by the beginning of their key costs the database: no more than its bound, however many keys begin so.
import { afterAll, beforeAll, expect, test } from "vitest"
import { holdLoops } from "../../test-support/loops.ts"
import { pagesRead, storeStatement } from "../../test-support/store-statements.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { listInstancesByKey } from "./list-instances-by-key.ts"

const ROWS = 20_000
const PAGE = 20
const LOOK_AT = 1_000
/** Reading every key and its instance would be tens of thousands. */
const PAGES_READ_MAX = 10 * LOOK_AT

let engine: TestEngine
beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
  await engine.db.script(`insert into millrace.finished_instances (id, definition_id, definition_version, status, priority,
      input, version, reads_variables, started_at, completed_at)
    select '01ARZ3NDEKTSV4RRFFQ' || lpad(n::text, 7, '0'), 'order', 1, case when n = ${ROWS} then 'FAILED' else 'COMPLETED' end,
      'normal', '{}', 1, false, now(), now()
    from generate_series(1, ${ROWS}) n`)
  await engine.db.script(`insert into millrace.intake_keys (definition_id, key, instance_id)
    select 'order', 'order-' || lpad(n::text, 7, '0'), '01ARZ3NDEKTSV4RRFFQ' || lpad(n::text, 7, '0')
    from generate_series(1, ${ROWS}) n`)
  await engine.db.script("vacuum analyze millrace.finished_instances, millrace.intake_keys")
})
afterAll(() => engine.close())

const statement = storeStatement("instances/intake", "listKeyed")
const range = (prefix: string, afterKey = "") => ({ fromKey: prefix, afterKey, beforeKey: `${prefix}\u{10FFFF}` })
const every = { definitionId: "order", status: null, businessKey: null, version: null, afterId: "", beforeId: "~" }

test.each(["", "order-0019990"])(
  "SEC-37: without another filter a page reads its own keys, after %j",
  async (after) => {
    const values = { ...every, ...range("order-", after), lookAt: PAGE + 1, limit: PAGE + 1 }
    expect(await pagesRead(engine.db, statement, values)).toBeLessThan(400)
  },
)

test("SEC-37: with a filter that nearly nothing matches it reads no more than its bound", async () => {
  const values = { ...every, status: "FAILED", ...range("order-"), lookAt: LOOK_AT, limit: PAGE + 1 }
  expect(await pagesRead(engine.db, statement, values)).toBeLessThan(PAGES_READ_MAX)
})

test("and page after page, some of them empty, it comes to the one that matches", async () => {
  const found: string[] = []
  let pages = 0
  for (let cursor: string | undefined; pages === 0 || cursor !== undefined; pages++) {
    const request = { definitionId: "order", keyPrefix: "order-", status: "FAILED" as const, pageSize: PAGE, cursor }
    const page = await listInstancesByKey(engine.kernel, request)
    found.push(...page.items.map(({ key }) => key))
    cursor = page.nextCursor
  }
  expect(found).toEqual([`order-00${ROWS}`])
  expect(pages).toBe(ROWS / LOOK_AT + 1)
})
