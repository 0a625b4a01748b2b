// Failures of a real driver, told apart.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { Database } from "./database.ts"
import { isAway } from "./errors.ts"

test("F33: a server whose socket is not there yet is away, and a missing file of ours is not", async () => {
  const folder = mkdtempSync(join(tmpdir(), "millrace-socket-"))
  const dsn = `postgres://millrace@127.0.0.1:5432/millrace?host=${encodeURIComponent(folder)}`
  const db = new Database({ dsn, schema: "millrace", maxConnections: 1 })
  try {
    const error: unknown = await db.script("select 1").catch((error: unknown) => error)
    expect(error).toMatchObject({ code: "ENOENT" })
    expect(isAway(error)).toBe(true)
    expect(isAway(Object.assign(new Error("no such file"), { code: "ENOENT" }))).toBe(false)
  } finally {
    await db.close()
    rmSync(folder, { recursive: true })
  }
})
