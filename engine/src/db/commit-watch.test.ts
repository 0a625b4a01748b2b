// The end of a caller's transaction is seen with every library: what follows a commit follows it once, and nothing follows a rollback.
import pg from "pg"
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest"
import { type Caller, callers } from "../test-support/callers.ts"
import { createTestDatabase } from "../test-support/test-engine.ts"
import type { CallersTx } from "./callers-connection.ts"
import { callersTransaction } from "./callers-transaction.ts"
import { CommitWatch, type XactStatus } from "./commit-watch.ts"
import { Database } from "./database.ts"
import { statement } from "./statements.ts"

let db: Database
let dsn: string
let drop: () => Promise<void>
const insert = statement("test.insert", "insert into kept (value) values (@value)")

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

const seen: string[] = []
/** Notes, when it is told of the commit, how many rows it finds: what was committed is there. */
const write = (tx: CallersTx, value: string) =>
  callersTransaction(db, tx, async (own) => {
    own.write(insert, { value })
    own.afterCommit(() => void seen.push(value))
  })
const watchedAll = () => expect.poll(() => db.commits.size)

describe.each(Object.entries(callers))("with %s", (name, open) => {
  let caller: Caller
  beforeAll(() => {
    caller = open(dsn)
  })
  afterAll(() => caller.close())

  test("S1: what is to follow the commit follows it, once and not before; several calls of one transaction together", async () => {
    await caller.transaction(async (tx, run) => {
      await write(tx, `${name} 1`)
      await write(tx, `${name} 2`)
      expect(db.commits.size).toBe(1)
      await run("select pg_sleep(0.02)")
      expect(seen).not.toContain(`${name} 1`)
    })
    await expect.poll(() => seen.filter((value) => value.startsWith(name))).toEqual([`${name} 1`, `${name} 2`])
    await watchedAll().toBe(0)
    const [row] = await db.script(`select count(*) as n from kept where value like '${name}%'`)
    expect(row).toEqual({ n: 2 })
  })

  test("S1: nothing follows a rollback, nor a failure of ours", async () => {
    const rolledBack = caller.transaction(async (tx) => {
      await write(tx, `${name} gone`)
      throw new Error("changed my mind")
    })
    await expect(rolledBack).rejects.toThrow("changed my mind")
    const refused = caller.transaction((tx) =>
      callersTransaction(db, tx, async (own) => {
        own.afterCommit(() => void seen.push(`${name} refused`))
        throw new Error("no")
      }).catch(() => {}),
    )
    await refused
    await watchedAll().toBe(0)
    expect(seen).not.toContain(`${name} gone`)
    expect(seen).not.toContain(`${name} refused`)
  })

  test("a transaction that has written nothing is not watched", async () => {
    await caller.transaction((tx) => callersTransaction(db, tx, async (own) => own.afterCommit(() => {})))
    expect(db.commits.size).toBe(0)
  })
})

async function connect(): Promise<pg.Client> {
  const client = new pg.Client(dsn)
  await client.connect()
  onTestFinished(() => client.end())
  return client
}

test("pg tells of the end itself: the server is asked once, after it, and no timer is waited for", async () => {
  const [client, asking] = [await connect(), await connect()]
  const asked: (readonly XactStatus[])[] = []
  const watch = new CommitWatch(async (xids) => {
    const { rows } = await asking.query("select pg_xact_status($1::xid8) as status", [xids[0]])
    asked.push(rows.map(({ status }) => status as XactStatus))
    return asked.at(-1) as readonly XactStatus[]
  })
  await client.query("begin")
  const { rows } = await client.query("select pg_current_xact_id()::text as xid")
  const { connection } = client as unknown as {
    connection: { on: typeof client.on; removeListener: typeof client.off }
  }
  // No time passes: a quarter of a second later the server would be asked in any case.
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  onTestFinished(() => void vi.useRealTimers())
  const committed = new Promise<void>((resolve) => {
    watch.watch(rows[0].xid, [resolve], (look) => {
      connection.on(
        "readyForQuery" as "end",
        ((message: { status: string }) => message.status === "I" && look()) as never,
      )
    })
  })
  await client.query("select 1")
  await vi.advanceTimersByTimeAsync(0)
  expect(asked).toEqual([])
  await client.query("commit")
  await vi.advanceTimersByTimeAsync(0)
  await committed
  expect(asked).toEqual([["committed"]])
  watch.close()
})

describe("a watch by itself", () => {
  /** Answers as it is told, call after call; the last for all that follow. */
  function answering(...answers: readonly (XactStatus | Error)[]) {
    let calls = 0
    const ask = async (xids: readonly string[]) => {
      const answer = answers[Math.min(calls++, answers.length - 1)] as XactStatus | Error
      if (answer instanceof Error) throw answer
      return xids.map(() => answer)
    }
    return { watch: new CommitWatch(ask), calls: () => calls }
  }
  const follow = (watch: CommitWatch) => new Promise<void>((resolve) => watch.watch("7", [resolve]))

  test("a server that does not answer is asked again", async () => {
    const { watch, calls } = answering(new Error("away"), "in progress", "committed")
    await follow(watch)
    expect(calls()).toBe(3)
    expect(watch.size).toBe(0)
  })

  test("what the server has forgotten, or has rolled back, is let go without a word", async () => {
    for (const status of ["aborted", null] as const) {
      const { watch } = answering(status)
      watch.watch("7", [() => expect.unreachable()])
      await expect.poll(() => watch.size).toBe(0)
    }
  })

  test("closed, it asks nothing more", async () => {
    const { watch, calls } = answering("committed")
    watch.watch("7", [() => expect.unreachable()])
    watch.close()
    watch.watch("8", [() => expect.unreachable()])
    await new Promise(setImmediate)
    expect([watch.size, calls()]).toEqual([0, 0])
  })
})
