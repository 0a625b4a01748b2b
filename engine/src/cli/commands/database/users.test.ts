// `millrace users` on real PostgreSQL.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import { Database } from "../../../db/database.ts"
import { createTestDatabase } from "../../../test-support/test-engine.ts"
import { runCommand, type Terminal } from "../../test-support/run-command.ts"

const PASSWORD = "plum otter lantern"

let database: { dsn: string; drop(): Promise<void> }
let db: Database
beforeAll(async () => {
  database = await createTestDatabase()
  db = new Database({ dsn: database.dsn, schema: "millrace", maxConnections: 1 })
})
afterEach(() => db.script("delete from millrace.users"))
afterAll(async () => {
  await db.close()
  await database.drop()
})

const run = async (argv: readonly string[], terminal: Terminal = {}) => {
  const ran = await runCommand(["users", ...argv], { env: { WE_POSTGRES_DSN: database.dsn }, ...terminal })
  expect(ran.out + ran.err).not.toContain(PASSWORD)
  return ran
}
const add = (name = "ada", more: readonly string[] = [], input = `${PASSWORD}\n`) =>
  run(["add", name, "--email", `${name}@example.com`, "--password-stdin", ...more], { input })
const rows = () => db.script("select username, email, role, is_active, token_version from millrace.users")

describe("E-39: the command line", () => {
  test("E-39: makes the first ADMIN, and a USER unless it is told otherwise", async () => {
    const { code, out } = await add("ada", ["--admin"])
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/^User ada \([0-9a-f]{16}\) is added as ADMIN: may do everything\.\n$/),
    ])
    expect((await add("admin")).out).toContain("is added as USER")
    expect((await run(["list"])).out.split("\n")).toEqual([
      expect.stringMatching(/^ID +NAME +MAIL +ROLE +STATE +SIGN-IN$/),
      expect.stringMatching(/^[0-9a-f]{16} {2}ada {4}ada@example\.com {4}ADMIN {2}active {2}never signed in$/),
      expect.stringMatching(/ {2}admin {2}admin@example\.com {2}USER {3}active /),
      "",
    ])
  })

  test("E-21, E-41: promotes, demotes, disables, enables and sets a password", async () => {
    await add()
    const state = async (...argv: string[]) => {
      const { code, out } = await run(argv, { input: "seven quiet herons\n" })
      expect([code, out]).toEqual([0, expect.stringMatching(/^ADA /)])
      return (await rows())[0]
    }
    expect(await state("promote", "ADA")).toMatchObject({ role: "ADMIN", token_version: 1 })
    expect(await state("demote", "ADA")).toMatchObject({ role: "USER", token_version: 2 })
    expect(await state("disable", "ADA")).toMatchObject({ is_active: false, token_version: 3 })
    expect(await state("enable", "ADA")).toMatchObject({ is_active: true, token_version: 3 })
    expect(await state("password", "ADA", "--password-stdin")).toMatchObject({ token_version: 4 })
  })

  test("says what is wrong, line by line, and changes nothing", async () => {
    const bad = await run(["add", "a b", "--email", "x", "--password-stdin"], { input: "short\n" })
    expect([bad.code, bad.err.split("\n")]).toEqual([
      1,
      [
        expect.stringMatching(/^username is not a user name: 1 to 50/),
        expect.stringMatching(/^email is not a mail address: /),
        expect.stringMatching(/^password must have at least 12 characters/),
      ],
    ])
    expect(await rows()).toEqual([])
    await expect(run(["promote", "nobody"])).rejects.toThrow("there is no user nobody; `millrace users list`")
    await add()
    await expect(add("ADA")).rejects.toThrow("is taken")
    expect((await run(["list"], { env: { WE_POSTGRES_DSN: database.dsn } })).code).toBe(0)
  })
})

describe("SEC-55: a password", () => {
  test("SEC-55: is asked for twice on a terminal, and not shown", async () => {
    const typed = (input: string) => run(["add", "ada", "--email", "a@b"], { columns: 80, input })
    const { code, err } = await typed(`${PASSWORD}\r${PASSWORD}\r`)
    expect([code, err]).toEqual([0, "Password (at least 12 characters): \nThe same again: \n"])
    expect(await rows()).toHaveLength(1)
    const differs = await typed(`${PASSWORD}\rsomething else\r`)
    expect([differs.code, differs.err]).toEqual([1, expect.stringContaining("not the same")])
    const none = await typed("\r")
    expect([none.code, none.err]).toEqual([1, expect.stringContaining("no password was given")])
    const cancelled = await typed("plum\u0003")
    expect([cancelled.code, cancelled.err]).toEqual([1, expect.stringContaining("no password was given")])
  })

  test("SEC-55: is never an argument, and a pipe has to be announced", async () => {
    const piped = await run(["add", "ada", "--email", "a@b"], { input: `${PASSWORD}\n` })
    expect([piped.code, piped.err]).toEqual([2, expect.stringContaining("--password-stdin")])
    expect((await run(["add", "ada", "--email", "a@b", "--password", "x"])).code).toBe(2)
    expect((await add("ada", [], "")).code).toBe(1)
    expect(await rows()).toEqual([])
  })

  test("a call that leaves something out is answered with an example", async () => {
    const { code, err } = await run(["add", "ada"])
    expect([code, err]).toEqual([2, expect.stringContaining("Example: millrace users add ada --email")])
  })
})
