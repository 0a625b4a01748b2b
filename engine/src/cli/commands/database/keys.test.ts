// `millrace keys` on real PostgreSQL: scopes as people write them.
import { afterAll, beforeAll, expect, test } from "vitest"
import { createTestDatabase } from "../../../test-support/test-engine.ts"
import { runCommand } from "../../test-support/run-command.ts"

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

const keys = (...argv: string[]) => runCommand(["keys", ...argv], { env: { WE_POSTGRES_DSN: database.dsn } })

test.each([
  ["commas", ["--scope", "jobs:read,jobs:work"]],
  ["commas and blanks", ["--scope", "jobs:read, jobs:work"]],
  ["blanks", ["--scope", "jobs:read", "jobs:work"]],
  ["options", ["--scope", "jobs:read", "--scope", "jobs:work"]],
])("scopes with %s between them", async (_, words) => {
  const { code, out } = await keys("create", "billing", ...words)
  expect(code).toBe(0)
  expect(out).toContain("it may do: jobs:read, jobs:work.")
})

test("a scope that is none is named, with those there are", async () => {
  await expect(keys("create", "billing", "--scope", "jobs:read,jobs:wrok")).rejects.toThrow(
    /^unknown scope jobs:wrok: use definitions:read, /,
  )
})
