// The options of millrace(): typed values, refused by their own names, and errors of the database in the words of the catalogue.
import { fileURLToPath } from "node:url"
import { expect, test } from "vitest"
import { EngineError } from "./index.ts"
import { type MillraceOptions, millrace } from "./millrace.ts"
import { createTestDatabase } from "./test-support/test-engine.ts"

async function refusalOf(options: object): Promise<EngineError> {
  const error = await millrace(options as MillraceOptions).then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(EngineError)
  return error as EngineError
}

test.each<[object, RegExp]>([
  [{ database: "mysql://u:secret@h/db" }, /^millrace\(\): database must be a URL such as postgres:/],
  [{ database: 5432 }, /^millrace\(\): database must be a URL/],
  [{ schema: "My Schema" }, /^millrace\(\): schema must be a lower case name .*, not "My Schema"$/],
  [{ maxConnections: 0 }, /^millrace\(\): maxConnections must be a whole number from 1 to 1000, not 0$/],
  [{ maxConnections: "8" }, /^millrace\(\): maxConnections must be .*, not "8"$/],
  [{ logLevel: "loud" }, /^millrace\(\): logLevel must be one of debug, info, warn, error, silent, not "loud"$/],
  [{ dataDir: "a\0b" }, /^millrace\(\): dataDir must be a folder path/],
  [{ dsn: "postgres://h/db" }, /^millrace\(\): unknown option `dsn`/],
  [{ maxConnection: 3 }, /did you mean `maxConnections`\?$/],
  [{ schema: "X", maxConnections: -1 }, /schema must be .*; maxConnections must be/],
])("%j is refused by its name", async (options, message) => {
  const { code, message: words } = await refusalOf({ database: "postgres://127.0.0.1:1/x", ...options })
  expect([code, words]).toEqual(["bad-request", expect.stringMatching(message)])
  expect(words).not.toMatch(/secret|WE_|DB_/)
})

test("a database that is not there is unavailable, with where it was looked for, and the reason as the cause", async () => {
  const error = await refusalOf({ database: "postgres://nobody:hidden@127.0.0.1:1/nowhere", logLevel: "silent" })
  expect(error).toMatchObject({ code: "unavailable", retryAfterSeconds: 1, cause: { code: "ECONNREFUSED" } })
  expect(error.message).toBe("the database at 127.0.0.1:1 does not answer now; nothing is lost, try again")
})

test("a data folder that cannot be used is told by the name of the option", async () => {
  const opening = millrace({ database: "embedded", dataDir: fileURLToPath(import.meta.url), logLevel: "silent" })
  await expect(opening).rejects.toMatchObject({
    name: "EmbeddedError",
    message: expect.stringMatching(/^data folder \S+ cannot be used: .*; choose another with dataDir$/),
  })
})

test("a database that refuses us is a bad request in its own words", async () => {
  const { dsn, drop } = await createTestDatabase({ empty: true })
  const url = new URL(dsn)
  url.pathname = "/no_such_database"
  const error = await refusalOf({ database: url.href, logLevel: "silent" })
  expect(error).toMatchObject({ code: "bad-request", message: expect.stringContaining("no_such_database") })
  await drop()
})
