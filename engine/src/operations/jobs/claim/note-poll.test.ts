// That a worker asks for a type is noted with its first poll, and not only with the next pulse.
import { afterAll, beforeAll, expect, test } from "vitest"
import { createBareKernel } from "../../../test-support/bare-kernel.ts"
import { drive } from "../../../test-support/drive.ts"
import { createTestDatabase } from "../../../test-support/test-engine.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { enqueueJob } from "../enqueue/enqueue-job.ts"

/** Without a pulse. */
let kernel: Kernel
let database: { dsn: string; drop(): Promise<void> }
beforeAll(async () => {
  database = await createTestDatabase()
  kernel = await createBareKernel(database.dsn)
})
afterAll(async () => {
  await database.drop()
  await kernel.db.close()
})

const enqueue = (jobType: string) =>
  enqueueJob(kernel, { jobType, payload: {}, whenFull: "refuse", actor: "local" }).then(({ job }) => job.id)
const noted = async (jobType: string) => {
  const [row] = await kernel.db.script(
    `select xmin::text as write from millrace.queues where job_type = '${jobType}' and polled_at is not null`,
  )
  return row?.write
}

test("the first poll of a type is noted at once, and later ones are left to the pulse", async () => {
  await enqueue("first")
  expect(await noted("first")).toBeUndefined()
  await drive(kernel).claimOne("first")
  await expect.poll(() => noted("first")).toBeDefined()
  const write = await noted("first")
  await drive(kernel).claim(["first"])
  expect(await noted("first")).toBe(write)
})

test("a poll that came before the first job is noted with the job", async () => {
  const claimed = drive(kernel).claimOne("early")
  await enqueue("early")
  await claimed
  await expect.poll(() => noted("early")).toBeDefined()
})
