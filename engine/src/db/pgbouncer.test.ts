// The engine behind a real PgBouncer: which versions and modes it works with, and that it refuses the others at start.
import pg from "pg"
import { afterEach, describe, expect, test } from "vitest"
import { type JobCall, job, type Mill, millrace, workflow } from "../index.ts"
import { type PgBouncer, type PgBouncerRelease, startPgBouncer } from "../test-support/pgbouncer.ts"
import { createTestDatabase } from "../test-support/test-engine.ts"
import { callersTransaction } from "./callers-transaction.ts"
import { Database } from "./database.ts"
import { probePooler } from "./probe-pooler.ts"
import { statement } from "./statements.ts"

const PREPARED = "max_prepared_statements = 200"
const FEW = "default_pool_size = 4"

const readProcess = statement("test.process", "select pg_backend_pid() as pid, @n::integer as n")

function shopOf(dsn: string): string {
  const url = new URL(dsn)
  url.pathname = "/shop"
  return url.href
}

describe.skipIf(!process.env.MILLRACE_FULL_TESTS)("F74: behind PgBouncer (package pgbouncer)", () => {
  const closing: (() => Promise<unknown>)[] = []
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close()
  })

  async function open(release: PgBouncerRelease, settings: readonly string[]): Promise<string> {
    const { dsn, drop } = await createTestDatabase({ empty: true })
    const pooler: PgBouncer = await startPgBouncer({ release, settings })
    closing.push(drop, () => pooler.stop())
    return pooler.through(dsn)
  }

  async function openMill(database: string): Promise<Mill> {
    const mill = await millrace({ database, maxConnections: 6, logLevel: "silent" })
    closing.push(() => mill.stop())
    return mill
  }

  test.each<[PgBouncerRelease, string[]]>([
    ["bookworm", ["pool_mode = transaction"]],
    ["bookworm", ["pool_mode = transaction", "server_round_robin = 1", FEW]],
    ["trixie", ["pool_mode = transaction", "max_prepared_statements = 0"]],
  ])("%s with %j: refused at start with what is needed", async (release, settings) => {
    const opening = millrace({ database: await open(release, settings), logLevel: "silent" })
    await expect(opening).rejects.toMatchObject({
      code: "bad-request",
      message: expect.stringMatching(/PgBouncer 1\.21 or newer with max_prepared_statements.*pool_mode = session.*DSN/),
    })
  })

  test("a caller's connection to another name of the pooler, which keeps no sessions, is asked without prepared statements", async () => {
    const { dsn, drop } = await createTestDatabase()
    const dbname = new URL(dsn).pathname.slice(1)
    const aliases = { shop: `dbname=${dbname} pool_mode=transaction pool_size=3` }
    const settings = ["pool_mode = session"]
    const pooler = await startPgBouncer({ release: "bookworm", settings, aliases })
    const db = new Database({ dsn: pooler.through(dsn), schema: "millrace", maxConnections: 2 })
    closing.push(
      drop,
      () => pooler.stop(),
      () => db.close(),
    )
    const clients = Array.from({ length: 3 }, () => new pg.Client({ connectionString: pooler.through(shopOf(dsn)) }))
    for (const client of clients) {
      await client.connect()
      closing.push(() => client.end())
    }
    const [asking, ...others] = clients as [pg.Client, ...pg.Client[]]
    const ask = async (): Promise<number> => {
      await asking.query("begin")
      const rows = await callersTransaction(db, asking, (tx) => tx.read(readProcess, { n: 1 }))
      await asking.query("commit")
      return Number(rows[0]?.pid)
    }
    const processes = new Set<number>()
    for (let round = 0; round < 12; round++) {
      // Another takes the server connection that was used last: the next transaction has to make do with one that knows nothing.
      await others[round % others.length]?.query("begin")
      processes.add(await ask())
      await others[round % others.length]?.query("commit")
      processes.add(await ask())
    }
    expect(processes.size).toBeGreaterThan(1)
  })

  test.each<[PgBouncerRelease, boolean, string[]]>([
    ["bookworm", true, ["pool_mode = session"]],
    ["trixie", true, ["pool_mode = session"]],
    ["trixie", false, ["pool_mode = transaction", PREPARED, FEW]],
  ])(
    "%s keeps sessions: %s with %j; two start at once, and everything is done once",
    async (release, keepsSessions, settings) => {
      const dsn = await open(release, settings)
      const [mill, other] = await Promise.all([openMill(dsn), openMill(dsn)])
      const done = new Map<number, number>()
      const count = job(
        "count",
        ({ payload: { n } }: JobCall<{ n: number }>) => void done.set(n, (done.get(n) ?? 0) + 1),
      )
      const flow = workflow("flow", { steps: [function first() {}, function second() {}], recover: "resume" })
      for (const one of [mill, other]) await one.work([count, flow], { concurrency: 4 })
      const numbers = Array.from({ length: 200 }, (_, n) => n)
      await Promise.all(numbers.map((n) => (n % 2 ? mill : other).enqueue(count, { n }, { key: `k${n}` })))
      const runs = await Promise.all(numbers.slice(0, 20).map(() => mill.start(flow, {})))
      for (const { id } of runs) expect((await other.runs.handle(id).ended()).status).toBe("COMPLETED")
      await expect.poll(() => done.size).toBe(200)
      expect([...done.values()].every((times) => times === 1)).toBe(true)
      const db = new Database({ dsn, schema: "millrace", maxConnections: 1 })
      expect(await probePooler(db)).toEqual({ keepsSessions })
      await db.close()
    },
  )
})
