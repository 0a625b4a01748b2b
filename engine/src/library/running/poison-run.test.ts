// A payload that kills its process: counted before it runs, it cannot sit at the head of the queue for ever.
import { afterAll, beforeAll, expect, test } from "vitest"
import { workflow } from "../../index.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import { poisoned } from "../../test-support/poisoned-worker.ts"
import { runTypeScript } from "../../test-support/typescript-process.ts"

let mills: Mills
beforeAll(async () => {
  mills = await openMills({ WE_MAX_LOST_LEASES: "1" })
})
afterAll(() => mills.close())

const WORKER = new URL("../../test-support/poisoned-worker.ts", import.meta.url)

test("F14, A-X4: a run that kills the processes of its workers is FAILED as a poison pill, and those behind it go on", async () => {
  const { mill, dsn } = mills
  const poison = await mill.start(poisoned, { poison: true })
  const good = [await mill.start(poisoned, { poison: false }), await mill.start(poisoned, { poison: false })]
  expect(await runTypeScript(WORKER, [dsn]).ended).toMatchObject({ signal: "SIGKILL", output: "" })
  expect(await mills.row(poison.id)).toMatchObject({ status: "PENDING" })
  for (const { id } of good) expect(await mills.row(id)).toMatchObject({ status: "PENDING" })
  await mills.endLeases()
  // The run comes again, behind the jobs that it had held up.
  expect(await runTypeScript(WORKER, [dsn]).ended).toMatchObject({ signal: "SIGKILL" })
  for (const { id } of good) expect(await mills.row(id)).toMatchObject({ status: "COMPLETE" })
  await mills.endLeases()
  expect(await mills.row(poison.id)).toMatchObject({
    status: "FAILED",
    last_error: "poison pill: 2 workers were lost while they held this job (worker_lost)",
    failed_step: "poisoned",
  })
  expect(await mill.drain([poisoned])).toMatchObject({ processed: 0 })
})

test("A-X4: in claim transaction too the claim is counted first, in a short transaction of its own", async () => {
  const { mill } = mills
  const flow = workflow("poisoned-tx", { claim: "transaction", steps: [function nothing() {}] })
  const { id } = await mill.start(flow, {})
  for (let worker = 1; worker <= 2; worker++) {
    const dying = mills.dying((place) => place === "reporting")
    await dying.drain([flow], {})
    await dying.stop()
    await mills.endLeases()
  }
  expect(await mills.row(id)).toMatchObject({ status: "FAILED" })
  expect((await mills.row(id)).last_error).toMatch("poison pill")
})

test("A-39, A-X4: a poison pill that was cured can be retried, and is counted anew", async () => {
  const { mill } = mills
  const flow = workflow("cured", { steps: [function nothing() {}] })
  const { id } = await mill.start(flow, {})
  const dying = mills.dying(() => true)
  for (let worker = 1; worker <= 2; worker++) {
    await dying.drain([flow], {})
    await mills.endLeases()
  }
  await dying.stop()
  expect(await mills.row(id)).toMatchObject({ status: "FAILED" })
  await mill.runs.handle(id).retry()
  await mill.drain([flow])
  expect(await mills.row(id)).toMatchObject({ status: "COMPLETE" })
})
