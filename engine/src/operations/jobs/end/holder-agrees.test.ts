// Who holds a job is decided by the model where a row is locked first, and by the statement itself where it is not: both say the same.
import fc from "fast-check"
import { afterAll, beforeAll, expect, test } from "vitest"
import { type Claimant, holds, KAFKA_WORKER } from "../../../model/jobs/reports.ts"
import { heartbeatJobs } from "../../../store/jobs/jobs.ts"
import { completeJobs } from "../../../store/jobs/standalone-jobs.ts"
import { holdLoops } from "../../../test-support/loops.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { enqueueJob } from "../enqueue/enqueue-job.ts"

const NONCES = ["00000000-0000-4000-8000-00000000000a", "00000000-0000-4000-8000-00000000000b"] as const

let engine: TestEngine

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

const epoch = fc.integer({ min: 1, max: 2 })
const nonce = fc.constantFrom(...NONCES)
const leases = fc.record({
  epoch,
  nonce: fc.option(nonce, { nil: null, freq: 4 }),
  workerId: fc.constantFrom("w1", "w2", KAFKA_WORKER),
})
const claimants: fc.Arbitrary<Claimant> = fc.record({
  workerId: fc.constantFrom("w1", "w2"),
  token: fc.option(fc.record({ epoch, nonce }), { nil: undefined }),
})
type Lease = typeof leases extends fc.Arbitrary<infer L> ? L : never

/** A job that is leased so, or was. */
async function leased({ epoch, nonce, workerId }: Lease): Promise<string> {
  const { job } = await enqueueJob(engine.kernel, { jobType: "held", payload: {}, whenFull: "refuse", actor: "test" })
  const [status, bits] = nonce === null ? ["held", "null"] : ["leased", `'${nonce}'`]
  await engine.db.script(`update millrace.jobs set status = '${status}', epoch = ${epoch}, nonce = ${bits},
    worker_id = '${workerId}', lease_ms = 1000, run_until = millrace.clock() + interval '1 hour',
    lease_until = ${nonce === null ? "null" : "millrace.clock()"}, claimed_at = millrace.clock()
    where instance_id = '${job.id}'`)
  return job.id
}

const columnsOf = ({ workerId, token }: Claimant) => ({
  workerId,
  epoch: token?.epoch ?? null,
  nonce: token?.nonce ?? null,
})

async function completes(lease: Lease, claimant: Claimant): Promise<boolean> {
  const id = await leased(lease)
  let completed = 0
  await engine.db.transaction(async (tx) =>
    completeJobs(tx, [{ id, ...columnsOf(claimant), result: null }], (rows) => {
      completed = rows.length
    }),
  )
  return completed === 1
}

async function beats(lease: Lease, claimant: Claimant): Promise<boolean> {
  const key = { kind: "standalone", id: await leased(lease) } as const
  return (await heartbeatJobs(engine.db, [{ key, ...columnsOf(claimant), leaseMs: null }])).length === 1
}

test("S7, W-03: a completion counts exactly where the model says that its sender holds the job", async () => {
  await fc.assert(
    fc.asyncProperty(leases, claimants, async (lease, claimant) => {
      expect(await completes(lease, claimant)).toBe(holds(claimant, lease))
    }),
    { numRuns: 150, seed: 7 },
  )
})

test("S7: so does a heartbeat, but for those of workers without a token for a job that is on its way through Kafka", async () => {
  await fc.assert(
    fc.asyncProperty(leases, claimants, async (lease, claimant) => {
      fc.pre(claimant.token !== undefined || lease.workerId !== KAFKA_WORKER)
      expect(await beats(lease, claimant)).toBe(holds(claimant, lease))
    }),
    { numRuns: 150, seed: 8 },
  )
})
