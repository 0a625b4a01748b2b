// Array parameters arrive as they were sent, whatever is in them.
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { createTestDatabase } from "../test-support/test-engine.ts"
import { Database } from "./database.ts"
import { arrayLiteral } from "./encode-values.ts"
import { statement } from "./statements.ts"

let db: Database
let drop: () => Promise<void>

beforeAll(async () => {
  const created = await createTestDatabase({ empty: true })
  drop = created.drop
  db = new Database({ dsn: created.dsn, schema: "millrace", maxConnections: 1 })
})
afterAll(async () => {
  await db.close()
  await drop()
})

const roundTrip = async (values: readonly (string | null)[]): Promise<unknown> => {
  const [row] = await db.query(statement("echo", "select to_json(@values::text[]) as echo"), { values })
  return JSON.parse(row?.echo as string)
}

test("S25: any text that PostgreSQL can hold survives an array parameter", async () => {
  const text = fc.string({ unit: "binary", maxLength: 30 }).filter((s) => !s.includes("\u0000") && s.isWellFormed())
  const nasty = fc.constantFrom(
    "",
    "null",
    "NULL",
    "{}",
    '"',
    "\\",
    "a,b",
    " x ",
    '{"a":"\\n"}',
    "\n\t",
    "\\n",
    "NaN",
    "ünï",
    "🦭",
  )
  await fc.assert(
    fc.asyncProperty(fc.array(fc.option(fc.oneof(text, nasty)), { maxLength: 20 }), async (values) => {
      expect(await roundTrip(values)).toEqual(values)
    }),
    { numRuns: 200 },
  )
})

test("numbers, booleans, nulls and bytes arrive as they are", async () => {
  const bytes = Buffer.from([0, 1, 92, 255])
  const kinds = statement(
    "kinds",
    `select @numbers::numeric[]::text as numbers, @flags::boolean[]::text as flags,
       @list::bytea[] = array[@bytes::bytea, null] as same`,
  )
  const values = { numbers: [1, -2.5, null], flags: [true, false], list: [bytes, null], bytes }
  const [row] = await db.query(kinds, values)
  expect(row).toEqual({ numbers: "{1,-2.5,NULL}", flags: "{t,f}", same: true })
})

test("a value that PostgreSQL would not understand is refused before anything is sent", () => {
  expect(() => arrayLiteral([{}])).toThrow("a parameter is a object")
  expect(arrayLiteral([])).toBe("{}")
})
