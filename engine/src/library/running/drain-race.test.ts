// What becomes ready while a drain looks for more is found: it has not looked there yet.

import { afterAll, beforeAll, expect, test } from "vitest"
import { workflow } from "../../index.ts"
import { claims } from "../../operations/jobs/claim/claim-jobs.ts"
import { gate, type Mills, openMills } from "../../test-support/mills.ts"
import { Workers } from "./workers.ts"

let mills: Mills
beforeAll(async () => {
  mills = await openMills()
})
afterAll(() => mills.close())

test("B-05, B-18: a run that becomes ready while the drain asks for more is drained too", async () => {
  const next = workflow("next", { steps: [function nothing() {}] })
  const asked = gate()
  const first = workflow("first", {
    steps: [
      async function begin() {
        await asked.passed
        await mills.mill.start(next, {})
      },
    ],
  })
  // The second claim finds nothing, and is answered only when what ran has ended.
  let asks = 0
  const batcher = claims(mills.kernel)
  const submit = batcher.submit.bind(batcher)
  batcher.submit = async (item) => {
    const jobs = await submit(item)
    if (++asks !== 2) return jobs
    asked.open()
    await mills.mill.runs.handle(id).ended()
    return jobs
  }
  const workers = new Workers(mills.kernel, "p")
  const { id } = await mills.mill.start(first, {})
  expect(await workers.drain([first, next], { concurrency: 2 })).toMatchObject({ processed: 2 })
  await workers.stop()
})
