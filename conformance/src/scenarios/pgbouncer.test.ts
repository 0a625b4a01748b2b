// Every scenario through a real PgBouncer that pools transactions and follows prepared statements.
import { afterAll, beforeAll, describe, test } from "vitest"
import { type PgBouncer, startPgBouncer } from "../../../engine/dist/test-support/pgbouncer.js"
import { cells, type OpenCell } from "./matrix.ts"
import { scenarios } from "./scenarios.ts"
import { openCell } from "./test-support/open-cell.ts"

const settings = ["pool_mode = transaction", "max_prepared_statements = 200", "default_pool_size = 6"]
const [cell] = cells.filter(({ notYet }) => notYet === undefined)

describe.skipIf(!process.env.MILLRACE_FULL_TESTS)("through PgBouncer (package pgbouncer)", () => {
  let pooler: PgBouncer
  let open: OpenCell

  beforeAll(async () => {
    pooler = await startPgBouncer({ release: "trixie", settings })
    open = await openCell(cell!, pooler.through)
    for (const { definitions } of scenarios)
      for (const definition of definitions) await open.client.uploadDefinition(definition)
  })
  afterAll(async () => {
    await open?.close()
    await pooler?.stop()
  })

  test.concurrent.each(scenarios.map((scenario) => [`${scenario.id}: ${scenario.title}`, scenario] as const))(
    "C-T6 %s",
    (_, { run }) => run(open.client, open.worker),
  )
})
