import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { drive } from "../../test-support/drive.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { claimJobs } from "../jobs/claim/claim-jobs.ts"
import { enqueueJob } from "../jobs/enqueue/enqueue-job.ts"
import { listJobTypes, setJobType } from "./change-job-types.ts"

const operator = { actor: "anna" }
let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine({ WE_JOB_TIMEOUT: "40s" })
  worker = drive(engine.kernel)
})
afterAll(() => engine.close())

const enqueue = (jobType: string, timeoutMs?: number) =>
  enqueueJob(engine.kernel, { jobType, payload: {}, timeoutMs, whenFull: "refuse", actor: "local" })

/** Seconds that the attempt which is under way may run. */
async function runSeconds(jobType: string): Promise<number> {
  const [row] = await engine.db.script(`select extract(epoch from j.run_until - j.claimed_at)::float8 as seconds
    from millrace.jobs j where j.step_id = '${jobType}' and j.status = 'leased' order by j.claimed_at desc limit 1`)
  return row?.seconds as number
}

describe("the timeout of a job type", () => {
  test("D-50: is read at the claim: changed while the job waits, it holds", async () => {
    await enqueue("slow")
    await setJobType(engine.kernel, operator, { name: "slow", timeoutMs: 90_000 })
    await worker.claimOne("slow")
    expect(await runSeconds("slow")).toBe(90)
    await enqueue("slow")
    await setJobType(engine.kernel, operator, { name: "slow", timeoutMs: null })
    await worker.claimOne("slow")
    expect(await runSeconds("slow")).toBe(40)
  })

  test("D-50: holds for a job that is handed to a worker who waits", async () => {
    await setJobType(engine.kernel, operator, { name: "handed", timeoutMs: 90_000 })
    const request = { workerId: "w", jobTypes: ["handed"], maxJobs: 1, leaseMs: 30_000, waitMs: 10_000 }
    const waiting = claimJobs(engine.kernel, request)
    await enqueue("handed")
    expect(await waiting).toHaveLength(1)
    expect(await runSeconds("handed")).toBe(90)
  })

  test("D-50: a job's own comes first", async () => {
    await setJobType(engine.kernel, operator, { name: "own", timeoutMs: 90_000 })
    await enqueue("own", 5_000)
    await worker.claimOne("own")
    expect(await runSeconds("own")).toBe(5)
  })

  test("a type is listed when it has a setting, and when it has had jobs", async () => {
    await setJobType(engine.kernel, operator, { name: "listed", timeoutMs: 1_500 })
    await enqueue("named")
    const types = new Map((await listJobTypes(engine.kernel)).map((type) => [type.name, type]))
    expect(types.get("listed")).toMatchObject({ name: "listed", timeout: "PT1.5S", changedBy: operator.actor })
    expect(types.get("named")).toMatchObject({ name: "named" })
    expect(types.get("named")).not.toHaveProperty("timeout")
  })
})
