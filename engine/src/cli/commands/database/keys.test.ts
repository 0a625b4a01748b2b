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

test("without --scope it says that the key may do everything, and how to have less", async () => {
  const { out } = await keys("create", "me")
  expect(out).toContain("it may do: admin.")
  expect(out).toMatch(
    /^No --scope was given, so this key may do EVERYTHING\. .*`millrace keys revoke [0-9a-f]+`.*--scope/m,
  )
  expect((await keys("create", "me", "--scope", "admin")).out).not.toContain("EVERYTHING")
})

test("--json: the key and what it is, for programs", async () => {
  const { out } = await keys("create", "ci", "--scope", "jobs:read", "--expires", "90d", "--json")
  expect(JSON.parse(out)).toEqual({
    id: expect.stringMatching(/^[0-9a-f]+$/),
    name: "ci",
    scopes: ["jobs:read"],
    expiresAt: expect.stringMatching(/Z$/),
    key: expect.stringMatching(/^mill_/),
  })
})

test("list: a table with heads, and the columns that deploy/keys.sh reads", async () => {
  await keys("create", "slow", "--scope", "jobs:work", "--limit", "600/60s")
  const lines = (await keys("list")).out.trimEnd().split("\n")
  expect(lines[0]).toMatch(/^ID +NAME +SCOPES +STATE +USE +LIMIT$/)
  expect(lines).toContainEqual(
    expect.stringMatching(/^[0-9a-f]{16} {2}slow {2}.*jobs:work.* {2}made \d{4}-\d\d-\d\d +never used {2}600\/1m$/),
  )
})
