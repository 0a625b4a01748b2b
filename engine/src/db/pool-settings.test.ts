// The pool as its settings say: how many connections, how long one is waited for, asked, and kept. On a real server.
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { loadConfig } from "../config.ts"
import { openCore } from "../core.ts"
import { createLogger } from "../support/log.ts"
import { createTestDatabase } from "../test-support/test-engine.ts"
import { Database } from "./database.ts"
import { isAway } from "./errors.ts"
import { statement } from "./statements.ts"

const PID = statement("test.pid", "select pg_backend_pid() as pid")
const SLEEP = statement("test.sleep", "select pg_sleep(600)")

let database: Awaited<ReturnType<typeof createTestDatabase>>
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

async function withPool(options: object, use: (db: Database) => Promise<void>): Promise<void> {
  const db = new Database({ dsn: database.dsn, schema: "millrace", maxConnections: 2, ...options })
  await use(db).finally(() => db.close())
}

/** Refused as by a database that is away, when this time is over and not before. The time is passed here: a slow machine adds none. */
async function expectAwayAfter(ms: number, work: () => Promise<unknown>): Promise<void> {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  try {
    let refusal: unknown
    const refused = work().catch((error: unknown) => {
      refusal = error
    })
    while (vi.getTimerCount() === 0) await new Promise((resolve) => setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(ms - 1)
    expect(refusal).toBeUndefined()
    await vi.advanceTimersByTimeAsync(1)
    await refused
    expect(refusal).toSatisfy(isAway)
  } finally {
    vi.useRealTimers()
  }
}

const config = (env: Record<string, string>) => loadConfig({ env: { WE_POSTGRES_DSN: database.dsn, ...env }, cpus: 2 })

describe("E-26: the pool", () => {
  test("E-26: size, waiting time, time of a statement and age are settings, with bounds", () => {
    const env = {
      DB_MIN_CONNS: "10",
      DB_MAX_CONNS: "20",
      DB_CONNECT_TIMEOUT: "30s",
      DB_CONNECTION_LIFETIME: "1800s",
      DB_STATEMENT_TIMEOUT: "5s",
    }
    expect(config(env)).toMatchObject({
      dbMinConns: 10,
      dbMaxConns: 20,
      dbConnectTimeoutMs: 30_000,
      dbConnectionLifetimeMs: 1_800_000,
      dbStatementTimeoutMs: 5_000,
    })
    expect(() => config({ DB_STATEMENT_TIMEOUT: "0s" })).toThrow("DB_STATEMENT_TIMEOUT")
    expect(() => config({ DB_MIN_CONNS: "21", DB_MAX_CONNS: "20" })).toThrow("must be at most")
  })

  test("E-26: they reach the pool of an engine", async () => {
    const env = { DB_MAX_CONNS: "2", DB_MIN_CONNS: "1", DB_CONNECT_TIMEOUT: "70s" }
    const core = await openCore(config(env), createLogger({ level: "silent" }))
    const { db } = core.kernel
    expect(db.pool).toMatchObject({ most: 1, least: 1 })
    const held = await db.dedicated()
    await expectAwayAfter(70_000, () => db.query(PID))
    held.release()
    await core.stop()
  })

  test("E-26: a caller that gets no connection in time is told so, and the next one gets it when it is free", async () => {
    await withPool({ maxConnections: 1, connectMs: 70_000 }, async (db) => {
      const held = await db.dedicated()
      await expectAwayAfter(70_000, () => db.query(PID))
      held.release()
      expect(await db.query(PID)).toHaveLength(1)
    })
  })

  test("E-26: a statement without an answer in time is given up with its connection, and the pool goes on", async () => {
    await withPool({ maxConnections: 1, statementMs: 70_000 }, async (db) => {
      await db.query(PID)
      await expectAwayAfter(70_000, () => db.query(SLEEP))
      expect(await db.query(PID)).toHaveLength(1)
    })
  })

  test("E-26: a connection is replaced when it is old, and kept where no age is set", async () => {
    const pidOf = async (db: Database) => (await db.query<{ pid: number }>(PID))[0]?.pid
    await withPool({ maxConnections: 1, lifetimeMs: 1_000 }, async (young) => {
      await withPool({ maxConnections: 1 }, async (lasting) => {
        const [first, second] = [await pidOf(young), await pidOf(lasting)]
        await expect.poll(() => pidOf(young)).not.toBe(first)
        expect(await pidOf(lasting)).toBe(second)
      })
    })
  })
})
