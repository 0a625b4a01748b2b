// Every scenario through a real PgBouncer that pools transactions and follows prepared statements.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type PgBouncer, startPgBouncer } from "../../../engine/dist/test-support/pgbouncer.js"
import { runTestCell } from "./test-support/run-test-cell.ts"

const settings = ["pool_mode = transaction", "max_prepared_statements = 200", "default_pool_size = 6"]

describe.skipIf(!process.env.MILLRACE_FULL_TESTS)("through PgBouncer (package pgbouncer)", () => {
  let pooler: PgBouncer

  beforeAll(async () => {
    pooler = await startPgBouncer({ release: "trixie", settings })
  })
  afterAll(() => pooler?.stop())

  test("C-T6: every scenario passes", async () => {
    const results = await runTestCell("typescript rest poll", pooler.through)
    expect(results.filter(({ fault }) => fault)).toEqual([])
  })
})
