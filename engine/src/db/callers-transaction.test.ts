// What goes over a caller's connection arrives as it would over ours, whatever the library and its settings; and the connection is
// given back as it was.
import pg from "pg"
import postgres from "postgres"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Caller, callers } from "../test-support/callers.ts"
import { createTestDatabase } from "../test-support/test-engine.ts"
import type { CallersTx } from "./callers-connection.ts"
import { callersTransaction } from "./callers-transaction.ts"
import { Database } from "./database.ts"
import { statement } from "./statements.ts"
import type { Transaction } from "./transaction.ts"

let db: Database
let dsn: string
let drop: () => Promise<void>

beforeAll(async () => {
  const created = await createTestDatabase()
  dsn = created.dsn
  drop = created.drop
  db = new Database({ dsn, schema: "millrace", maxConnections: 4 })
  await db.script("create table kept (value text)")
})
afterAll(async () => {
  await db.close()
  await drop()
})

const echo = statement(
  "test.echo",
  `select @texts::text[] as texts, @int::integer as int_value, @big::bigint as big_value, @flag::boolean as flag,
    @seenAt::timestamptz as seen_at, @json::json as plain_json, @jsonb::jsonb as binary_json, @bytes::bytea as bytes,
    @manyBytes::bytea[] as many_bytes, @id::uuid as id, @nothing::text as nothing, @numbers::integer[] as numbers,
    @times::timestamptz[] as times`,
)
const values = {
  texts: ["a", null, 'q"\\,{}', "NULL", "line\nline", "ünï 🦭"],
  int: -7,
  big: 2 ** 52,
  flag: true,
  seenAt: "2026-11-15T09:16:45.123Z",
  json: '{"z":1.50,"a":[null,"x"]}',
  jsonb: '{"b":{"c":[]}}',
  bytes: Buffer.from([0, 92, 255]),
  manyBytes: [Buffer.from([1, 0]), null],
  id: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
  nothing: null,
  numbers: [1, null, 3],
  times: ["2026-11-15T09:16:45.123Z", null],
}
const insert = statement("test.insert", "insert into kept (value) values (@value)")
const broken = statement("test.broken", "select 1 / @by::integer as never")
const readWait = statement("test.wait", "select current_setting('lock_timeout') as wait")

const settingsOf = async (run: (text: string) => Promise<readonly object[]>) => {
  const names = ["lock_timeout", "plan_cache_mode", "enable_seqscan", "enable_hashjoin", "synchronous_commit"]
  const rows = await run(`select ${names.map((name) => `current_setting('${name}')`).join(" || ' ' || ")} as settings`)
  return String(Object.values(rows[0] ?? {})[0])
}

const keptValues = async () => (await db.script("select value from kept order by value")).map((row) => row.value)

describe.each(Object.entries(callers))("on a connection of %s", (name, open) => {
  let caller: Caller
  beforeAll(() => {
    caller = open(dsn)
  })
  afterAll(() => caller.close())

  const within = <T>(tx: CallersTx, work: (tx: Transaction) => Promise<T>) => callersTransaction(db, tx, work)

  test("S25: every kind of value arrives, and comes back, as on our own connection", async () => {
    const [ours] = await db.transaction((tx) => tx.read(echo, values))
    const [theirs] = await caller.transaction((tx) => within(tx, (tx) => tx.read(echo, values)))
    expect(theirs).toEqual(ours)
    expect(theirs).toMatchObject({
      plain_json: values.json,
      seen_at: Date.parse(values.seenAt),
      big_value: 2 ** 52,
    })
  })

  test("S1: writes are there when the call returns, in order, and gone when the caller rolls back", async () => {
    const write = (run: (text: string) => Promise<readonly object[]>, tx: CallersTx) =>
      within(tx, async (tx) => {
        tx.write(insert, { value: `${name} 1` })
        tx.write(insert, { value: `${name} 2` })
      }).then(() => run("select value from kept where ctid is not null"))
    const gone = caller.transaction(async (tx, run) => {
      expect(await write(run, tx)).toHaveLength((await keptValues()).length + 2)
      throw new Error("changed my mind")
    })
    await expect(gone).rejects.toThrow("changed my mind")
    expect(await keptValues()).not.toContain(`${name} 1`)
    await caller.transaction(async (tx, run) => void (await write(run, tx)))
    expect(await keptValues()).toEqual(expect.arrayContaining([`${name} 1`, `${name} 2`]))
  })

  test("the caller's settings are as before, also after a refusal; a shorter wait of the caller's own is kept", async () => {
    await caller.transaction(async (tx, run) => {
      const before = await settingsOf(run)
      const during = await within(tx, (tx) => tx.read(readWait))
      expect(during).toEqual([{ wait: "3s" }])
      await expect(within(tx, () => Promise.reject(new Error("no")))).rejects.toThrow("no")
      expect(await settingsOf(run)).toBe(before)
      await run("set local lock_timeout = '70ms'")
      expect(await within(tx, (tx) => tx.read(readWait))).toEqual([{ wait: "70ms" }])
      await run("set local lock_timeout = '1min'")
      await within(tx, async () => {})
      expect(await settingsOf(run)).toMatch(/^1min /)
    })
  })

  test("two calls at once take turns", async () => {
    await caller.transaction(async (tx, run) => {
      const before = await settingsOf(run)
      const order: string[] = []
      const call = (n: number) =>
        within(tx, async (tx) => {
          order.push(`${n} begins`)
          await tx.read(echo, values)
          order.push(`${n} ends`)
        })
      await Promise.all([call(1), call(2)])
      expect(order).toEqual(["1 begins", "1 ends", "2 begins", "2 ends"])
      expect(await settingsOf(run)).toBe(before)
    })
  })

  test("a statement that fails reaches the caller as it is, and nothing follows it", async () => {
    const failed = caller.transaction((tx) =>
      within(tx, async (tx) => {
        const [first, second] = [tx.read(broken, { by: 0 }), tx.read(echo, values)]
        await Promise.allSettled([first, second])
        await second
      }),
    )
    await expect(failed).rejects.toMatchObject({ code: "22012" })
  })

  test("F21: somebody else's lock is waited for as long as the caller would wait, and told as try again", async () => {
    const holder = await db.dedicated()
    await holder.query("begin; lock table kept in exclusive mode")
    const blocked = caller.transaction(async (tx, run) => {
      await run("set local lock_timeout = '20ms'")
      await within(tx, async (tx) => tx.write(insert, { value: "blocked" }))
    })
    await expect(blocked).rejects.toMatchObject({ code: "unavailable", cause: { code: "55P03" } })
    await holder.query("rollback")
    holder.release()
  })
})

describe("what is no transaction", () => {
  const use = (tx: unknown) =>
    callersTransaction(db, tx as CallersTx, async (tx) => tx.write(insert, { value: "never" }))

  test.each([[undefined], [null], ["tx"], [{}], [{ raw: () => {} }]])(
    "%o is refused with what is known",
    async (tx) => {
      await expect(use(tx)).rejects.toMatchObject({ code: "bad-request", message: expect.stringContaining("Kysely") })
    },
  )

  test("a pool is refused: each of its statements may go to another connection", async () => {
    const pool = new pg.Pool({ connectionString: dsn })
    const sql = postgres(dsn)
    const prisma = { $connect: () => {}, $transaction: () => {}, $queryRawUnsafe: () => {} }
    for (const wrong of [pool, sql, prisma]) await expect(use(wrong)).rejects.toThrow("no transaction")
    await pool.end()
    await sql.end()
  })

  test("a connection on which nobody has said BEGIN is refused before anything is written", async () => {
    const client = new pg.Client({ connectionString: dsn })
    await client.connect()
    await expect(use(client)).rejects.toMatchObject({ code: "bad-request", message: expect.stringContaining("BEGIN") })
    await client.query("begin")
    await use(client)
    await client.query("rollback")
    await client.end()
    const sql = postgres(dsn)
    const reserved = await sql.reserve()
    await expect(use(reserved)).rejects.toThrow("BEGIN")
    reserved.release()
    await sql.end()
    expect(await keptValues()).not.toContain("never")
  })
})

describe("statements on a connection of pg", () => {
  async function preparedOn(connectionString: string): Promise<number> {
    const client = new pg.Client({ connectionString })
    await client.connect()
    for (let round = 0; round < 3; round++) {
      await client.query("begin")
      await callersTransaction(db, client, (tx) => tx.read(echo, values))
      await client.query("commit")
    }
    const { rows } = await client.query("select count(*)::integer from pg_prepared_statements where name ~ '^millrace'")
    await client.end()
    return rows[0].count
  }

  test("are prepared once where the connection leads to a server process, which keeps them, by whatever name", async () => {
    expect(await preparedOn(dsn)).toBe(3)
    const elsewhere = new URL(dsn)
    elsewhere.hostname = elsewhere.hostname === "localhost" ? "127.0.0.1" : "localhost"
    expect(await preparedOn(elsewhere.href)).toBe(3)
  })

  test("are not prepared where the process is not the one that the connection was told of", async () => {
    const client = new pg.Client({ connectionString: dsn })
    await client.connect()
    const pooled = new Proxy(client, {
      get: (target, name) => {
        const value = Reflect.get(target, name) as unknown
        if (name === "processID") return Number(value) + 1
        return typeof value === "function" ? value.bind(target) : value
      },
    })
    await client.query("begin")
    await callersTransaction(db, pooled, (tx) => tx.read(echo, values))
    const { rows } = await client.query("select count(*)::integer from pg_prepared_statements")
    expect(rows).toEqual([{ count: 0 }])
    await client.end()
  })

  test.each(["discard all", "deallocate all"])(
    "are not missed where a pool has cleaned the connection: %s",
    async (cleaning) => {
      const client = new pg.Client({ connectionString: dsn })
      await client.connect()
      for (let round = 0; round < 3; round++) {
        await client.query("begin")
        const [row] = await callersTransaction(db, client, (tx) => tx.read(echo, values))
        expect(row).toMatchObject({ int_value: -7 })
        await client.query("commit")
        await client.query(cleaning)
      }
      await client.end()
    },
  )

  test("that only insert new rows run with the caller's own settings", async () => {
    const client = new pg.Client({ connectionString: dsn })
    await client.connect()
    await client.query("begin; set local lock_timeout = '7s'")
    const read = (planned?: "plainly") =>
      callersTransaction(db, client, (tx) => tx.read({ ...readWait, ...(planned ? { planned } : {}) }))
    expect(await read("plainly")).toEqual([{ wait: "7s" }])
    expect(await read()).toEqual([{ wait: "3s" }])
    await client.query("rollback")
    await client.end()
  })
})

test("to learn of the commit no statement is sent beside those of the work", async () => {
  const client = new pg.Client({ connectionString: dsn })
  await client.connect()
  await client.query("begin")
  const sent: string[] = []
  const query = client.query.bind(client)
  client.query = ((asked: string | { text: string }, ...rest: never[]) => {
    sent.push(typeof asked === "string" ? asked : asked.text)
    return query(asked as string, ...rest)
  }) as typeof client.query
  const inserting = statement("test.inserting", "insert into kept (value) values (@value) returning value")
  const committed = new Promise<void>((resolve) => {
    void callersTransaction(db, client, async (tx) => {
      await tx.read({ ...inserting, planned: "plainly" }, { value: "one statement" })
      tx.afterCommit(resolve)
    }).then(() => query("commit"))
  })
  await committed
  // Once for each connection it is asked whether it leads to the server itself.
  expect(sent.filter((text) => text !== "select pg_backend_pid()")).toHaveLength(1)
  await client.end()
})
