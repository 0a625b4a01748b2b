// What existing clients of the API really send over gRPC, and what they can take.
import type { ServiceError } from "@grpc/grpc-js"
import { GetInstanceHistoryResponse, PollJobsResponse } from "@millrace/sdk/proto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createTestGrpc, type TestGrpc } from "./test-support/test-grpc.ts"

let grpc: TestGrpc
beforeAll(async () => {
  grpc = await createTestGrpc()
})
afterAll(() => grpc.close())

const MIB = 1_048_576

async function upload(id: string, more: object = {}) {
  const steps = [{ id: "work", name: "work", type: 1, jobType: id, ...more }]
  return grpc.rpc.uploadDefinition({ definition: { id, name: id, steps } as never })
}

test("W-10: a client without metadata or deadline, with max_jobs 64, lease_seconds 0 and page_size 100, is served", async () => {
  await upload("legacy")
  const { instance } = await grpc.rpc.startInstance({ definitionId: "legacy", definitionVersion: 0, businessKey: "" })
  const poll = { workerId: "w", jobTypes: ["legacy"], maxJobs: 64, leaseSeconds: 0 }
  const { jobs } = await grpc.rpc.pollJobs(poll)
  expect(jobs).toHaveLength(1)
  // The default of 30 s, and not the least of 5 s.
  const heldMs = Date.parse(jobs[0]!.lockExpiresAt!) - Date.parse(instance!.startedAt!)
  expect(heldMs).toBeGreaterThanOrEqual(30_000)
  await grpc.rpc.completeJob({ jobId: jobs[0]!.id, workerId: "w" })
  const page = await grpc.rpc.listInstances({ definitionId: "legacy", pageSize: 100, status: 3 })
  expect(page.instances).toHaveLength(1)
})

describe("W-11: conditions in a map", () => {
  const decision = (conditionalNextSteps: object, more: object = {}) => ({
    id: "choose",
    name: "choose",
    steps: [
      { id: "d", name: "d", type: 3, conditionalNextSteps, ...more },
      { id: "x", name: "x", type: 8 },
      { id: "y", name: "y", type: 8 },
    ],
  })
  const send = (definition: object) => grpc.rpc.uploadDefinition({ definition: definition as never })

  test("W-11: the same upload is the same version, whatever order the map came in", async () => {
    const first = await send(decision({ "a > 1": "x", "a <= 1": "y" }))
    const again = await send(decision({ "a <= 1": "y", "a > 1": "x" }))
    expect([first.version, again.version]).toEqual([1, 1])
    expect(first.warnings).toEqual([])
  })

  test("W-11: where two conditions could both hold, the answer carries a warning", async () => {
    const { warnings } = await send(decision({ "a > 1": "x", "a > 2": "y" }))
    expect(warnings).toEqual([expect.stringContaining('"a > 1" and "a > 2" may both hold')])
    expect(grpc.trailer().get("warning")[0]).toMatch(/^299 - "\$\.steps\[0\]\.conditionalNextSteps: /)
  })

  test("W-11: with the ordered list its order counts, and there is nothing to warn of", async () => {
    const list = [
      { condition: "a > 2", nextStep: "y" },
      { condition: "a > 1", nextStep: "x" },
    ]
    const { warnings, version } = await send(decision({}, { orderedConditionalNextSteps: list }))
    const turned = await send(decision({}, { orderedConditionalNextSteps: list.toReversed() }))
    expect(warnings).toEqual([])
    expect(turned.version).toBe(version + 1)
    const { definition } = await grpc.rpc.getDefinition({ id: "choose", version })
    expect(definition!.steps[0]!.orderedConditionalNextSteps).toEqual(list)
    expect((await send(definition!)).version).toBe(turned.version + 1)
  })
})

describe("W-12: answers that a client can take", () => {
  const large = { blob: "x".repeat(230_000) }
  const start = (definitionId: string, count: number) =>
    Promise.all(Array.from({ length: count }, () => grpc.rpc.startInstance({ definitionId, variables: large })))

  test("W-12: PollJobs gives no more than fits, and the rest is ready for the next poll", async () => {
    await upload("large")
    await start("large", 20)
    const seen = new Set<string>()
    for (let round = 0; round < 4 && seen.size < 20; round++) {
      const answer = await grpc.rpc.pollJobs({ workerId: "w", jobTypes: ["large"], maxJobs: 64 })
      expect(PollJobsResponse.encode(answer).finish().length).toBeLessThan(3.5 * MIB)
      for (const { id } of answer.jobs) seen.add(id)
    }
    expect(seen.size).toBe(20)
  })

  test("W-12: a poll over REST is bounded likewise", async () => {
    await upload("heavy")
    await start("heavy", 20)
    const body = { workerId: "w", jobTypes: ["heavy"], maxJobs: 64 }
    const { body: said } = await grpc.rest.call("POST /v1/jobs/poll", { body })
    expect((said as { jobs: unknown[] }).jobs).toHaveLength(15)
    const { jobs } = await grpc.rpc.pollJobs(body)
    expect(jobs).toHaveLength(5)
  })

  test("W-12: numbers that grow on the wire are counted as they are sent", async () => {
    await upload("numbers")
    const variables = { list: Array.from({ length: 100_000 }, () => 1) }
    for (let at = 0; at < 5; at++) await grpc.rpc.startInstance({ definitionId: "numbers", variables })
    const answer = await grpc.rpc.pollJobs({ workerId: "w", jobTypes: ["numbers"], maxJobs: 64 })
    expect(answer.jobs).toHaveLength(3)
    expect(PollJobsResponse.encode(answer).finish().length).toBeLessThan(3.5 * MIB)
  })

  test("W-12: ListInstances gives a shorter page, and a cursor to go on by", async () => {
    const seen: string[] = []
    let cursor = ""
    do {
      const page = await grpc.rpc.listInstances({ definitionId: "large", pageSize: 100, cursor })
      seen.push(...page.instances.map(({ id }) => id))
      expect(page.instances.length).toBeLessThan(16)
      cursor = page.nextCursor
    } while (cursor !== "")
    expect(new Set(seen).size).toBe(20)
    expect(seen).toHaveLength(20)
  })
})

test("W-12: a history that is too long comes whole, its later part without what the steps put out", async () => {
  const names = Array.from({ length: 20 }, (_, at) => `task-${at}`)
  const steps = names.map((name, at) => ({ id: name, name, type: 2, nextStep: names[at + 1] ?? "" }))
  await grpc.rpc.uploadDefinition({ definition: { id: "lengthy", name: "lengthy", steps } as never })
  const { instance } = await grpc.rpc.startInstance({ definitionId: "lengthy" })
  const instanceId = instance!.id
  for (const [at, userTaskStepId] of names.entries())
    await grpc.rpc.completeUserTask({ instanceId, userTaskStepId, result: { blob: `${at}`.padEnd(230_000, "x") } })
  const history = await grpc.rpc.getInstanceHistory({ id: instanceId })
  expect(history.executions.map(({ stepId }) => stepId)).toEqual(names)
  expect(GetInstanceHistoryResponse.encode(history).finish().length).toBeLessThan(3.5 * MIB)
  expect(history.executions[0]!.output).toMatchObject({ blob: expect.stringMatching(/^0x/) })
  expect(history.executions.at(-1)!.output).toBeUndefined()
})

test("W-12: of very many violations the first are told: clients take trailers of 8 kB", async () => {
  const steps = Array.from({ length: 300 }, (_, at) => ({ id: `step-${at}`, name: "", type: 1 }))
  const refused = grpc.rpc.uploadDefinition({ definition: { id: "wrong", name: "wrong", steps } as never })
  const { metadata } = (await refused.catch((error: unknown) => error)) as ServiceError
  const [details] = metadata.get("grpc-status-details-bin") as Buffer[]
  expect(details!.length).toBeGreaterThan(2_000)
  expect(details!.length).toBeLessThan(6_000)
})

describe("W-12: variables that no message can carry", () => {
  const digits = { list: Array.from({ length: 120_000 }, () => 7) }

  /** Written little by little: each set is small enough, and together they grow beyond a message. */
  async function startGrown(id: string): Promise<string> {
    const names = ["a", "b", "c", "d"]
    const tasks = names.map((name, at) => ({ id: name, name, type: 2, nextStep: names[at + 1] ?? "work" }))
    const steps = [...tasks, { id: "work", name: "work", type: 1, jobType: id }]
    await grpc.rpc.uploadDefinition({ definition: { id, name: id, steps } as never })
    const { instance } = await grpc.rpc.startInstance({ definitionId: id })
    for (const name of names)
      await grpc.rpc.completeUserTask({
        instanceId: instance!.id,
        userTaskStepId: name,
        result: { [name]: digits.list },
      })
    return instance!.id
  }

  test("W-12: the job fails with the reason, and no lost worker is counted", async () => {
    const id = await startGrown("grown")
    expect((await grpc.rpc.pollJobs({ workerId: "w", jobTypes: ["grown"] })).jobs).toEqual([])
    const { instance } = await grpc.rpc.getInstance({ id })
    expect(instance).toMatchObject({ status: 4, failureReason: expect.stringContaining("larger than a gRPC message") })
  })

  test("W-12: the same over a stream", async () => {
    const id = await startGrown("grown-streamed")
    const stream = grpc.client.streamJobs()
    stream.on("error", () => {})
    stream.write({ open: { workerId: "w", jobTypes: ["grown-streamed"], leaseSeconds: 60, credit: 1 } } as never)
    await expect.poll(async () => (await grpc.rpc.getInstance({ id })).instance?.status).toBe(4)
    stream.cancel()
  })

  test("W-12: a worker over REST gets it, and an instance is shown over gRPC without them, with a warning", async () => {
    const id = await startGrown("grown-rest")
    const { instance } = await grpc.rpc.getInstance({ id })
    expect(instance).toMatchObject({ id, status: 1, variables: undefined })
    expect(grpc.trailer().get("warning")[0]).toContain(`the variables of ${id} are left out`)
    const page = await grpc.rpc.listInstances({ definitionId: "grown-rest" })
    expect(page.instances).toMatchObject([{ id, variables: undefined }])
    const { body } = await grpc.rest.call("POST /v1/jobs/poll", { body: { workerId: "w", jobTypes: ["grown-rest"] } })
    expect(body.jobs).toMatchObject([{ instanceId: id, variables: { d: digits.list } }])
  })
})

test("W-13: a stale report without a token is answered as if it had been taken", async () => {
  await upload("stale")
  await grpc.rpc.startInstance({ definitionId: "stale" })
  const { jobs } = await grpc.rpc.pollJobs({ workerId: "w", jobTypes: ["stale"] })
  const report = { jobId: jobs[0]!.id, workerId: "w" }
  expect(await grpc.rpc.completeJob(report)).toEqual({})
  expect(await grpc.rpc.completeJob({ ...report, variablesToSet: { late: true } })).toEqual({})
  expect(await grpc.rpc.failJob({ ...report, retryable: true })).toEqual({})
  const { instances } = await grpc.rpc.listInstances({ definitionId: "stale" })
  expect(instances).toMatchObject([{ status: 3, variables: {} }])
})

test("W-14: a definition with every field is the same version when it is read and sent back", async () => {
  const steps = [
    {
      id: "work",
      name: "work",
      type: "SERVICE_TASK",
      jobType: "whole",
      retryCount: 0,
      description: "",
      onError: "continue",
      timeout: { run: "PT5S" },
      boundaryEvents: [{ type: "TIMER", duration: "PT1H", interrupting: false, targetStepId: "remind" }],
    },
    { id: "remind", name: "remind", type: "SERVICE_TASK", jobType: "remind", retry: { retries: 0 } },
  ]
  const body = { id: "whole", name: "whole", steps, metadata: {}, autoStartNextWorkflow: false, retain: "P1D" }
  await grpc.rest.call("POST /v1/definitions", { body })
  const { definition } = await grpc.rpc.getDefinition({ id: "whole" })
  expect(await grpc.rpc.uploadDefinition({ definition: definition! })).toMatchObject({ version: 1 })
})
