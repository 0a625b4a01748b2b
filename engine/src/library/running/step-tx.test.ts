// The transaction a step is given: what it may say to it, what it may not, and that nothing of it is left behind.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { type TxStep, workflow } from "../../index.ts"
import { eventually, type Mills, openMills } from "../../test-support/mills.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
  await mills.tables.script("create table public.written (note text unique deferrable initially deferred)")
  await mills.tables.script("create procedure public.finish() language plpgsql as 'begin commit; end'")
})
afterAll(() => mills.close())
beforeEach(() => mills.tables.script("truncate public.written"))

const written = async () => (await mills.tables.script("select note from public.written order by 1")).map((r) => r.note)

const TRICKS: readonly [unknown, RegExp][] = [
  ["commit", /must not run COMMIT/],
  ["; commit", /must not run COMMIT/],
  ["/* so */ COMMIT", /must not run COMMIT/],
  ["select 1; commit", /multiple commands/],
  ["select 1;\ncommit;", /multiple commands/],
  ["call public.finish()", /invalid transaction termination/],
  ["do $$ begin commit; end $$", /invalid transaction termination/],
  ["do $$ begin execute 'commit'; end $$", /EXECUTE of transaction commands is not implemented/],
  [{ text: "commit" }, /takes the statement as a text/],
  [{ name: "c", text: "commit", values: [] }, /takes the statement as a text/],
  [undefined, /takes the statement as a text/],
]

test.each([
  ["transaction", { claim: "transaction" as const }],
  ["resume", { recover: "resume" as const }],
])("A-X2: no trick ends the transaction of a step (%s)", async (mode, options) => {
  for (const [at, [trick, refusal]] of TRICKS.entries()) {
    let said: Error | undefined
    const flow = workflow(`trick-${mode}-${at}`, {
      ...(options as { claim: "transaction" }),
      steps: [
        async function attempt({ tx }: TxStep) {
          await tx.query("insert into public.written values ($1)", [`trick ${at}`])
          said = await tx.query(trick as string).then(
            () => undefined,
            (error) => error,
          )
          throw new Error("and so it fails")
        },
      ],
    })
    const { id } = await mill.start(flow, {})
    await mill.drain([flow])
    expect(said?.message, JSON.stringify(trick)).toMatch(refusal)
    expect(await mill.runs.get(id)).toMatchObject({ status: "FAILED", failureReason: "attempt: and so it fails" })
  }
  expect(await written()).toEqual([])
})

test("A-X2: a text that merely speaks of a commit goes through, and values come and go as the driver has them", async () => {
  const flow = workflow("texts", {
    recover: "resume",
    steps: [
      async function ask({ tx }: TxStep) {
        const text = `select $1::int as a, $2::jsonb as j, to_timestamp(0) as t, 7::int8 as n /* commit; */`
        const { rows } = await tx.query(text, [7, { b: [1] }])
        return { rows }
      },
    ],
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  const row = { a: 7, j: { b: [1] }, t: "1970-01-01T00:00:00.000Z", n: "7" }
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { rows: [row] } })
})

test("resume: a constraint that is looked at with the commit fails the step, in the database's words, and its record is not there", async () => {
  let twice = true
  let befores = 0
  const flow = workflow("late-constraint", {
    recover: "resume",
    steps: [
      function before() {
        befores += 1
      },
      async function insert({ tx }: TxStep) {
        for (const note of twice ? ["same", "same"] : ["same"])
          await tx.query("insert into public.written values ($1)", [note])
      },
    ],
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  expect((await mill.runs.get(id)).failureReason).toMatch(/^insert: duplicate key value/)
  twice = false
  await mill.runs.handle(id).retry()
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  expect(await written()).toEqual(["same"])
  expect(befores).toBe(1)
})

test("resume: what a step writes and its record are there together, or neither is, wherever the connection breaks", async () => {
  const calls: string[] = []
  // Each once, whenever it comes: the run may be taken up again at once.
  const kills = new Set(["first", "second"])
  const kill = async (name: string) => {
    if (!kills.delete(name)) return
    await mills.tables.script(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and state = 'idle in transaction' and pid <> pg_backend_pid()`,
    )
  }
  const flow = workflow("broken-connection", {
    recover: "resume",
    steps: [
      async function first({ tx }: TxStep) {
        calls.push("first")
        await tx.query("insert into public.written values ('first')")
        await kill("first")
      },
      async function second({ tx }: TxStep) {
        calls.push("second")
        await tx.query("insert into public.written values ('second')")
        await kill("second")
        await tx.query("select 1")
      },
    ],
  })
  const { id } = await mill.start(flow, {})
  const worker = await mill.work([flow])
  await eventually(() => mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  await worker.stop()
  expect(await written()).toEqual(["first", "second"])
  expect(calls).toEqual(["first", "first", "second", "second"])
})

test("a worker that stops has given every connection of its steps back", async () => {
  const flow = workflow("tidy", {
    recover: "resume",
    steps: [
      async function ask({ tx, input }: TxStep<{ n: number }>) {
        await tx.query("select 1")
        if (input.n % 3 === 0) throw new Error("boom")
        if (input.n % 3 === 1) await tx.query("select 1 / 0").catch(() => {})
      },
    ],
  })
  for (let n = 0; n < 12; n++) await mill.start(flow, { n })
  const connections = () =>
    mills.tables.script(`select count(*)::integer as n from pg_stat_activity
      where datname = current_database() and state like 'idle in transaction%'`)
  await mill.drain([flow], { concurrency: 4 })
  // A beat of the engine may be in a transaction just now; what a step holds stays held.
  await expect.poll(connections).toEqual([{ n: 0 }])
})
