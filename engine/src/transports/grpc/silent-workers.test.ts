// Existing workers: they poll every half second and name neither a token nor a lease length, and nothing is heard of a job that they
// have before they report it. Whether they are slow or gone shows only then.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { holdLoops, sweepAll } from "../../test-support/loops.ts"
import { attemptRows, auditKinds } from "../../test-support/rows.ts"
import { createTestGrpc, type TestGrpc } from "./test-support/test-grpc.ts"

let grpc: TestGrpc
beforeAll(async () => {
  grpc = await createTestGrpc()
  await holdLoops(grpc.rest.engine.kernel)
})
afterAll(() => grpc.close())

const LEASE_MS = 30_000

interface Polled {
  readonly id: string
  readonly lockExpiresAt: string
}

interface Wire {
  poll(workerId: string, jobType: string): Promise<readonly Polled[]>
  complete(jobId: string, workerId: string): Promise<unknown>
}

const asked = (workerId: string, jobType: string) => ({ workerId, jobTypes: [jobType], maxJobs: 64, leaseSeconds: 0 })

const WIRES: Readonly<Record<string, Wire>> = {
  REST: {
    async poll(workerId, jobType) {
      const { body } = await grpc.rest.call("POST /v1/jobs/poll", { body: asked(workerId, jobType) })
      return (body as { jobs: Polled[] }).jobs
    },
    complete: (jobId, workerId) =>
      grpc.rest.call("POST /v1/jobs/complete", { body: { jobId, workerId, variables: { work: "done" } } }),
  },
  gRPC: {
    async poll(workerId, jobType) {
      const { jobs } = await grpc.rpc.pollJobs(asked(workerId, jobType))
      return jobs.map(({ id, lockExpiresAt }) => ({ id, lockExpiresAt: String(lockExpiresAt) }))
    },
    complete: (jobId, workerId) => grpc.rpc.completeJob({ jobId, workerId, variablesToSet: { work: "done" } }),
  },
}

async function start(id: string): Promise<string> {
  await grpc.rpc.uploadDefinition({
    definition: { id, name: id, steps: [{ id: "work", name: "work", type: 1, jobType: id }] } as never,
  })
  const { instance } = await grpc.rpc.startInstance({ definitionId: id })
  return instance!.id
}

async function pass(ms: number, kernel = grpc.rest.engine.kernel): Promise<void> {
  await grpc.rest.engine.advanceClock(ms)
  await sweepAll(kernel)
}

const get = async (id: string) => (await grpc.rpc.getInstance({ id })).instance!

describe.each(Object.entries(WIRES))("over %s", (name, wire) => {
  test("W-03: a handler five leases long ends with its work counted once, while its worker goes on polling", async () => {
    const type = `slow-${name}`
    const instanceId = await start(type)
    const given: Polled[] = []
    for (let passed = 0; passed < 5 * LEASE_MS; passed += LEASE_MS / 3) {
      given.push(...(await wire.poll("old", type)))
      await pass(LEASE_MS / 3)
    }
    expect(given.map(({ id }) => id)).toEqual([given[0]!.id, given[0]!.id])
    for (const { id } of given) await wire.complete(id, "old")
    expect(await get(instanceId)).toMatchObject({ status: 3, variables: { work: "done" } })
    expect((await auditKinds(grpc.rest.engine.db, instanceId)).filter((kind) => kind === "JOB_COMPLETED")).toHaveLength(
      1,
    )
  })

  test("W-03: a handler of 40 minutes, among four workers all of whose places are taken", async () => {
    const type = `slower-${name}`
    const instanceId = await start(type)
    const [job] = await wire.poll("old-0", type)
    // A worker that is full does not poll: nothing tells it from one that has gone.
    const free = ["old-1", "old-2", "old-3"]
    for (let minute = 0; minute < 40; minute++) {
      await pass(60_000)
      if (free[0] && (await wire.poll(free[0], type)).length > 0) free.shift()
    }
    expect(free).toEqual([])
    await wire.complete(job!.id, "old-0")
    expect(await get(instanceId)).toMatchObject({ status: 3, variables: { work: "done" } })
  })

  test("W-03, S9: a worker that crashes with the job and comes back under its name is a poison pill after four", async () => {
    const type = `crash-${name}`
    const instanceId = await start(type)
    let deliveries = 0
    for (let [job] = await wire.poll("old", type); job; [job] = await wire.poll("old", type)) {
      deliveries += 1
      // Back after a second, and polling from then on.
      await pass(1_000)
      expect(await wire.poll("old", type)).toEqual([])
      await pass(Date.parse(job.lockExpiresAt) - grpc.rest.engine.kernel.clock.nowMs() + 1)
    }
    expect(deliveries).toBe(4)
    expect(await get(instanceId)).toMatchObject({ status: 4, failureReason: expect.stringContaining("poison pill") })
  })

  test("C-35: a lease length that a worker names is what it gets, also after a lost one", async () => {
    const type = `named-${name}`
    const instanceId = await start(type)
    const lengths: number[] = []
    for (let n = 0; n < 2; n++) {
      const [job] = (await grpc.rpc.pollJobs({ ...asked("new", type), leaseSeconds: 40 })).jobs
      lengths.push(Math.round((Date.parse(job!.lockExpiresAt!) - grpc.rest.engine.kernel.clock.nowMs()) / 1_000))
      await pass(41_000)
    }
    expect(lengths).toEqual([40, 40])
    expect(await attemptRows(grpc.rest.engine.db, instanceId)).toHaveLength(2)
  })
})

test("W-03: with two replicas it is as with one: one hands the job out, the other takes the leases back", async () => {
  const instanceId = await start("replicas")
  const other = await createBareKernel(grpc.rest.engine.dsn)
  const [job] = await WIRES.REST!.poll("old", "replicas")
  for (let passed = 0; passed < 5 * LEASE_MS; passed += LEASE_MS / 3) {
    await pass(LEASE_MS / 3, other)
    await WIRES.gRPC!.poll("old", "replicas")
  }
  await WIRES.gRPC!.complete(job!.id, "old")
  await other.db.close()
  expect(await get(instanceId)).toMatchObject({ status: 3, variables: { work: "done" } })
})

test("W-03, D-31: the lease of a job that stands alone goes by its priority, also after a lost one", async () => {
  await grpc.rest.call("POST /jobs", { body: { type: "alone", payload: {}, timeout: "PT1H" } })
  const deliveries: string[] = []
  for (let n = 0; n < 2; n++) {
    deliveries.push(...(await WIRES.REST!.poll("old", "alone")).map(({ id }) => id))
    await pass(121_000)
  }
  expect(deliveries).toEqual([deliveries[0], deliveries[0]])
  expect(await WIRES.REST!.poll("old", "alone")).toHaveLength(1)
})
