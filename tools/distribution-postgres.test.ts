// The engine on the PostgreSQL of the distribution, the oldest that is installed: npm brings only the newest.
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { Database } from "../engine/src/db/database.ts"
import { DATABASE, ensureCluster, ROLE } from "../engine/src/db/embedded/cluster.ts"
import { type Folder, openFolder } from "../engine/src/db/embedded/folder.ts"
import { createLauncher, type Launcher } from "../engine/src/db/embedded/launcher.ts"
import { startServer, stopServer } from "../engine/src/db/embedded/server.ts"
import { readStatements } from "../engine/src/db/statements.ts"
import type { Mill } from "../engine/src/library/running/mill.ts"
import { millrace } from "../engine/src/millrace.ts"
import { examine } from "../engine/src/operations/upkeep/doctor.ts"
import { forked } from "../engine/src/test-support/definitions.ts"
import { list } from "./files.ts"

const PARENT = "/usr/lib/postgresql"
const installed = existsSync(PARENT) ? readdirSync(PARENT).filter((v) => existsSync(`${PARENT}/${v}/bin/initdb`)) : []
const major = installed.sort((a, b) => Number(a) - Number(b))[0]

async function script(dsn: string, text: string) {
  const db = new Database({ dsn, schema: "millrace", maxConnections: 1 })
  return db.script(text).finally(() => db.close())
}

async function findings(dsn: string) {
  const db = new Database({ dsn, schema: "millrace", maxConnections: 1 })
  return examine({ db }, { kinds: ["state", "audit"] }).finally(() => db.close())
}

describe.skipIf(!process.env.MILLRACE_FULL_TESTS)(
  `on PostgreSQL ${major ?? "of the distribution (package postgresql)"}`,
  () => {
    let dataDir = ""
    let folder: Folder
    let launcher: Launcher
    let mill: Mill
    let dsn = ""

    beforeAll(async () => {
      dataDir = mkdtempSync(join(tmpdir(), "millrace-oldest-"))
      folder = openFolder(dataDir)
      launcher = createLauncher({ native: `${PARENT}/${major}`, major: major ?? "", env: {} }, folder.root)
      const password = await ensureCluster(folder, launcher, { sync: false })
      const { port } = await startServer(folder, launcher, { fsync: "off" })
      dsn = `postgres://${ROLE}:${password}@127.0.0.1:${port}/${DATABASE}`
      mill = await millrace({ database: dsn, logLevel: "error" })
    })

    afterAll(async () => {
      await mill?.stop()
      if (folder) await stopServer(folder, launcher)
      rmSync(dataDir, { recursive: true, force: true })
    })

    test("parallel branches run to COMPLETED", async () => {
      await mill.definitions.upload(forked())
      const { id } = await mill.start("forked", { n: 1 })
      let isOver = () => {}
      const over = new Promise<void>((resolve) => {
        isOver = resolve
      })
      const handlers = { a: () => ({}), a2: () => ({ a2: true }), b: () => ({ b: true }), after: () => isOver() }
      const worker = await mill.work({ handlers })
      await over
      // A stop waits for the last report.
      await worker.stop()
      expect(await mill.runs.get(id)).toMatchObject({
        status: "COMPLETED",
        variables: { n: 1, a2: true, b: true },
      })
    })

    test("a dump of the schema alone is restored: the doctor misses the views, and the next start makes them", async () => {
      await script(dsn, "create database restored")
      const restored = dsn.replace(/[^/]*$/, "restored")
      const client = (name: string, args: string[], input = "") =>
        execFileSync(`${PARENT}/${major}/bin/${name}`, args, { input, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 })
      client("psql", ["-qd", restored, "-v", "ON_ERROR_STOP=1"], client("pg_dump", ["--schema=millrace", dsn]))
      expect(await findings(restored)).toMatchObject([
        {
          name: "missingObjects",
          symptoms: expect.arrayContaining([expect.objectContaining({ instanceId: "view jobs" })]),
        },
      ])
      await (await millrace({ database: restored, logLevel: "error" })).stop()
      expect(await findings(restored)).toEqual([])
      expect(await script(restored, "select count(*)::int as n from millrace_views.workflow")).toEqual(
        await script(dsn, "select count(*)::int as n from millrace_views.workflow"),
      )
    })

    test("every statement of the store is understood", async () => {
      const db = new Database({ dsn, schema: "millrace", maxConnections: 1 })
      const statements = list("engine/src/store", (path) => path.endsWith(".sql")).flatMap((path) =>
        readStatements(new URL(`../${path}`, import.meta.url)),
      )
      expect(statements.length).toBeGreaterThan(40)
      for (const [index, { text }] of statements.entries()) await db.script(`prepare s${index} as ${text}`)
      await db.close()
    })
  },
)
