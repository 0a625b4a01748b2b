// Failures of a real driver, told apart.
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { createTestDatabase } from "../test-support/test-engine.ts"
import { createWireProxy } from "../test-support/wire-proxy.ts"
import { Database } from "./database.ts"
import { isAway } from "./errors.ts"
import { statement } from "./statements.ts"

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

test.each([
  ...["08006", "08P01", "25006", "25P03", "26000", "42P05", "57P01", "57P05"].map((code) => [code, "replaced"]),
  ...["23505", "28000", "40001", "42501", "53100", "55P03", "57014", "58030", "XX000"].map((code) => [code, "kept"]),
])("F42: after %s the connection is %s", async (code, fate) => {
  const { dsn, drop } = await createTestDatabase({ empty: true })
  const db = new Database({ dsn, schema: "millrace", maxConnections: 1 })
  const pid = async () => (await db.script("select pg_backend_pid() as pid"))[0]?.pid
  const before = await pid()
  await expect(db.script(`do $$ begin raise 'a fault' using errcode = '${code}'; end $$`)).rejects.toMatchObject({
    code,
  })
  expect((await pid()) === before).toBe(fate === "kept")
  await db.close()
  await drop()
})

test("F42: a connection whose transaction could not be rolled back is replaced, whatever was the matter", async () => {
  const { dsn, drop } = await createTestDatabase({ empty: true })
  const proxy = await createWireProxy(dsn)
  const db = new Database({ dsn: proxy.dsn, schema: "millrace", maxConnections: 1 })
  const pid = statement("pid", "select pg_backend_pid() as pid")
  const [before] = await db.query(pid)
  const cut = db.transaction(async (tx) => {
    await tx.read(pid)
    // The transaction is open, and from here on neither its end nor its rollback arrives.
    proxy.fault({ severity: "ERROR", code: "57014" })
    tx.write(pid, {})
  })
  await expect(cut).rejects.toMatchObject({ code: "57014" })
  proxy.fault(undefined)
  const [after] = await db.query(pid)
  expect(after).not.toEqual(before)
  await db.close()
  await proxy.close()
  await drop()
})
