// `claim: "transaction"`: one lock from the first step to the outcome, and the writes of the steps are all there with it, or not at all.
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import { bestEffort, RetryableError, type Step, type TxStep, workflow } from "../../index.ts"
import { endingsOf } from "../../operations/instances/endings.ts"
import { claimJobs } from "../../operations/jobs/claim/claim-jobs.ts"
import { eventually, gate, type Mills, openMills } from "../../test-support/mills.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
  await mills.tables.script("create table public.written (note text unique deferrable initially deferred)")
})
afterAll(() => mills.close())
beforeEach(() => mills.tables.script("truncate public.written"))

const written = async () => (await mills.tables.script("select note from public.written order by 1")).map((r) => r.note)
const write = (tx: TxStep["tx"], note: string) => tx.query("insert into public.written values ($1)", [note])

test("A-28, A-T3: after a retryable error the run is PENDING, its time lies ahead, and what its steps wrote is gone", async () => {
  const flow = workflow("retried", {
    claim: "transaction",
    steps: [
      async function first({ tx }: TxStep) {
        await write(tx, "first")
      },
      async function second({ tx }: TxStep) {
        await write(tx, "second")
        throw new RetryableError("later", { baseDelay: "PT1H" })
      },
    ],
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  const row = await mills.row(id)
  expect(row).toMatchObject({ status: "PENDING", retry_count: 1, last_error: "second: later" })
  expect(row.invisible_until).toBeGreaterThan(mills.kernel.clock.nowMs())
  expect(await written()).toEqual([])
})

test("A-31: what the steps wrote is there with the outcome, and seen by nobody before", async () => {
  const inside = gate()
  const goOn = gate()
  const flow = workflow("committed", {
    claim: "transaction",
    steps: [
      async function first({ tx }: TxStep) {
        await write(tx, "first")
        return { own: (await tx.query("select * from public.written")).rows.length }
      },
      async function second({ tx }: TxStep) {
        await write(tx, "second")
        inside.open()
        await goOn.passed
      },
    ],
  })
  const { id } = await mill.start(flow, {})
  const done = mill.drain([flow])
  await inside.passed
  expect(await written()).toEqual([])
  goOn.open()
  await done
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { own: 1 } })
  expect(await written()).toEqual(["first", "second"])
})

describe("A-37, A-T4: the lock is never let go between the rollback and the outcome", () => {
  test.each([
    ["any other error", () => new Error("boom"), "FAILED"],
    ["a retryable error", () => new RetryableError("later", { baseDelay: "PT1H" }), "PENDING"],
  ])(
    "%s: neither a second process that polls all the time nor a second connection ever gets the run",
    async (name, errorOf, status) => {
      const [inside, underWay] = [gate(), gate()]
      const flow = workflow(`locked-${name.split(" ")[1]}`, {
        claim: "transaction",
        steps: [
          async function fail({ tx }: TxStep) {
            await write(tx, "x")
            inside.open()
            await underWay.passed
            throw errorOf()
          },
        ],
      })
      const { id } = await mill.start(flow, {})
      const { core } = await mills.another()
      const before = mill.drain([flow])
      await inside.passed
      let isOver = false
      let polls = 0
      let looks = 0
      const pollWorker = async () => {
        const request = { workerId: "rival", jobTypes: [flow.name], maxJobs: 1, leaseMs: 1_000, waitMs: 0 }
        for (; !isOver; polls++) {
          expect(await claimJobs(core.kernel, request)).toEqual([])
          if (polls > 5 && looks > 5) underWay.open()
        }
      }
      const seen: string[] = []
      const pollRow = async () => {
        const client = await mills.tables.dedicated()
        const lock = "select from millrace.instances where id = $1 for update skip locked"
        while (!isOver) {
          await client.query("begin")
          const { rowCount } = await client.query(lock, [id])
          const { rows } = await client.query("select status from millrace.jobs where instance_id = $1", [id])
          looks += 1
          if (rowCount === 1) seen.push(...rows.map((row) => row.status))
          await client.query("rollback")
        }
        client.release()
      }
      const rivals = [pollWorker(), pollRow()]
      await before
      isOver = true
      await Promise.all(rivals)
      // Whoever gets the row at all finds the outcome on it: a job that waits, and never one that is still leased.
      expect(seen.filter((status) => status !== "held")).toEqual([])
      expect(await mills.row(id)).toMatchObject({ status })
      expect(await written()).toEqual([])
    },
  )
})

test("its ends are told and counted as those of any run", async () => {
  const flow = workflow("told", { claim: "transaction", steps: [function nothing() {}] })
  const count = async () =>
    (await mills.kernel.metrics.instancesCompleted.get()).values.find(({ labels }) => labels.outcome === "COMPLETED")
      ?.value ?? 0
  const before = await count()
  const { id } = await mill.start(flow, {})
  const told = vi.spyOn(endingsOf(mills.kernel), "tell")
  const [run] = await Promise.all([mill.runs.handle(id).ended(), mill.drain([flow])])
  expect(run).toMatchObject({ status: "COMPLETED" })
  expect(told).toHaveBeenCalledWith(id)
  told.mockRestore()
  expect(await count()).toBe(before + 1)
})

test("A-X3: a rollback undoes local writes only: what was done elsewhere is done again under the same key", async () => {
  const elsewhere: string[] = []
  const flow = workflow("remote", {
    claim: "transaction",
    steps: [
      function call({ key, attempt }: Step) {
        elsewhere.push(key)
        if (attempt === 1) throw new RetryableError("later", { baseDelay: 0 })
      },
    ],
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  expect(elsewhere).toEqual([`${id}/call`, `${id}/call`])
})

test("A-25: the writes of a best-effort step that fails are undone alone, also when it was its statement that failed", async () => {
  const flow = workflow("forgiven", {
    claim: "transaction",
    steps: [
      async function first({ tx }: TxStep) {
        await write(tx, "first")
      },
      bestEffort(async function attach({ tx }: TxStep) {
        await write(tx, "attach")
        await tx.query("select 1 / 0")
      }),
      async function last({ tx }: TxStep) {
        await write(tx, "last")
      },
    ],
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  expect(await written()).toEqual(["first", "last"])
  expect((await mill.runs.failures({ workflow: flow, step: "attach" })).items).toMatchObject([
    { instanceId: id, error: "division by zero" },
  ])
})

test("A-30: a step that keeps a failed statement to itself, or breaks a constraint that is looked at late, fails its run", async () => {
  const flow = workflow("broken", {
    claim: "transaction",
    steps: [
      async function swallow({ input, tx }: TxStep<{ how: string }>) {
        if (input.how === "silently") await tx.query("select 1 / 0").catch(() => {})
        else for (const note of ["same", "same"]) await write(tx, note)
      },
    ],
  })
  const silent = await mill.start(flow, { how: "silently" })
  const late = await mill.start(flow, { how: "late" })
  await mill.drain([flow])
  expect((await mills.row(silent.id)).last_error).toMatch("current transaction is aborted")
  expect((await mills.row(late.id)).last_error).toMatch("duplicate key value violates unique constraint")
  expect(await written()).toEqual([])
})

test("A-X1: a session timeout breaks the transaction: nothing of it is left, and the run comes again when its lease ends", async () => {
  const attempts: number[] = []
  const flow = workflow("idle", {
    claim: "transaction",
    steps: [
      async function wait({ tx, attempt }: TxStep) {
        attempts.push(attempt)
        await write(tx, `attempt ${attempt}`)
        if (attempt > 1) return
        const [row] = (await tx.query("select pg_backend_pid() as pid")).rows
        await tx.query("set local idle_in_transaction_session_timeout = 50")
        const session = `select from pg_stat_activity where pid = ${row?.pid}`
        await eventually(() => mills.tables.script(session)).toEqual([])
      },
    ],
  })
  const { id } = await mill.start(flow, {})
  await mill.drain([flow])
  expect(await mills.row(id)).toMatchObject({ status: "PENDING" })
  expect(await written()).toEqual([])
  await mills.endLeases()
  await mill.drain([flow])
  expect(await mills.row(id)).toMatchObject({ status: "COMPLETE" })
  expect(await written()).toEqual(["attempt 2"])
  expect(attempts).toEqual([1, 2])
})

test("A-37: a worker that lost the run before it had the lock runs none of its steps", async () => {
  let calls = 0
  const flow = workflow("overtaken", {
    claim: "transaction",
    steps: [
      function count() {
        calls += 1
      },
    ],
  })
  const { id } = await mill.start(flow, {})
  const client = await mills.tables.dedicated()
  await client.query("begin")
  await client.query("select from millrace.instances where id = $1 for update", [id])
  const worker = mill.drain([flow])
  await eventually(() => mills.tables.script("select status from millrace.jobs")).toContainEqual({ status: "leased" })
  await client.query("update millrace.jobs set nonce = gen_random_uuid() where instance_id = $1", [id])
  await client.query("commit")
  client.release()
  await worker
  expect(calls).toBe(0)
  await mills.endLeases()
  await mill.drain([flow])
  expect(calls).toBe(1)
})
