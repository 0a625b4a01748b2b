// A run under the hands of its worker, on a real database: what waits for it, and what wakes it.
import { afterAll, beforeAll, expect, test } from "vitest"
import { parseToken } from "../../model/jobs/reports.ts"
import { insertSignals, releaseSignalled, takeSignal } from "../../store/runs/signals.ts"
import { end, service, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { holdLoops } from "../../test-support/loops.ts"
import { jobRows, waitingForLocks } from "../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { cancelInstance } from "../instances/change-instance.ts"
import { StepTransaction } from "./step-transaction.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await holdLoops(engine.kernel)
  await engine.upload(workflow("held", [service("work", "end", { jobType: "held" }), end()]))
})
afterAll(() => engine.close())

async function begin() {
  await worker.start("held")
  const job = await worker.claimOne("held")
  const { epoch, nonce } = parseToken(job.leaseToken) as NonNullable<ReturnType<typeof parseToken>>
  return { ...job, lease: { instanceId: job.instanceId, execution: 1, epoch, nonce } }
}

const cancel = (instanceId: string) => cancelInstance(engine.kernel, { instanceId, reason: undefined, actor: "test" })

test("S8: a cancel waits for the transaction of a step that holds its run", async () => {
  const { instanceId, lease } = await begin()
  const tx = new StepTransaction(engine.db)
  expect(await tx.hold(lease)).toBe(true)
  let isCancelled = false
  const cancelled = cancel(instanceId).then(() => {
    isCancelled = true
  })
  await expect.poll(async () => isCancelled || (await waitingForLocks(engine.db)) === 1).toBe(true)
  expect(isCancelled).toBe(false)
  await tx.rollback()
  await cancelled
})

test("S7: a lease that another delivery has taken over holds nothing", async () => {
  const { lease } = await begin()
  for (const other of [{ epoch: 2 }, { nonce: "00000000-0000-4000-8000-000000000000" }]) {
    const tx = new StepTransaction(engine.db)
    expect(await tx.hold({ ...lease, ...other })).toBe(false)
    await tx.rollback()
  }
})

test("S13: a signal is taken under the lease of this delivery, and stays where another one asks", async () => {
  const { instanceId, lease } = await begin()
  const signal = { instanceId, name: "paid", payload: { n: 1 }, receivedAt: 0 }
  await engine.db.transaction(async (tx) => insertSignals(tx, [signal]))
  const take = (other: object) =>
    takeSignal(engine.db, {
      ...lease,
      name: "paid",
      step: "paid",
      listVersion: 1,
      startedAt: 0,
      detail: undefined,
      ...other,
    })
  for (const other of [{ epoch: 2 }, { nonce: "00000000-0000-4000-8000-000000000000" }])
    expect(await take(other)).toMatchObject({ held: false })
  const left = "select from millrace.signals where taken_by is null"
  expect(await engine.db.script(left)).toHaveLength(1)
  expect(await take({})).toMatchObject({ held: true })
  expect(await engine.db.script(left)).toHaveLength(0)
})

test("L1: a run that waits for one of several signals is woken by each of them, and by no other", async () => {
  for (const [name, status] of [
    ["other", "held"],
    ["pay", "held"],
    ["paid", "ready"],
    ["declined", "ready"],
  ] as const) {
    const { instanceId } = await begin()
    await engine.db.script(
      `update millrace.jobs set status = 'held', waits_for = E'paid\\ndeclined' where instance_id = '${instanceId}'`,
    )
    await engine.db.transaction(async (tx) => releaseSignalled(tx, [{ instanceId, name }], () => {}))
    expect(await jobRows(engine.db, instanceId)).toMatchObject([{ status }])
    await cancel(instanceId)
  }
})
