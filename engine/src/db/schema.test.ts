// The golden schema: what the migrations add up to is kept in a file, so that a change of it is seen in review.
import { readFileSync, writeFileSync } from "node:fs"
import { expect, test } from "vitest"
import { describeSchema } from "../test-support/describe-schema.ts"
import { createTestDatabase } from "../test-support/test-engine.ts"
import { Database } from "./database.ts"
import { migrate } from "./migrate.ts"

const file = new URL("../../migrations/schema.sql", import.meta.url)

test("C-09: schema.sql is what the migrations make (UPDATE_SCHEMA=1 rewrites it)", async () => {
  const { dsn, drop } = await createTestDatabase({ empty: true })
  const db = new Database({ dsn, schema: "millrace", maxConnections: 2 })
  await migrate(db)
  const schema = await describeSchema(db)
  await db.close()
  await drop()
  if (process.env.UPDATE_SCHEMA === "1") writeFileSync(file, schema)
  expect(readFileSync(file, "utf8")).toBe(schema)
})
