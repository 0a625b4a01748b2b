// Every RPC of the contract does what the route of REST does.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { createTestGrpc, refusalOf, type TestGrpc } from "./test-support/test-grpc.ts"

let grpc: TestGrpc
beforeAll(async () => {
  grpc = await createTestGrpc()
})
afterAll(() => grpc.close())

const SERVICE_TASK = 1
const END = 8
const definition = (id: string) => ({
  id,
  name: "Charge a card",
  steps: [
    { id: "charge", name: "charge", type: SERVICE_TASK, jobType: `${id}-charge`, nextStep: "end", retryCount: 2 },
    { id: "end", name: "end", type: END },
  ],
})
const upload = (id: string) => grpc.rpc.uploadDefinition({ definition: definition(id) as never })

describe("C-36: unary RPCs", () => {
  test("upload, get, list", async () => {
    expect(await upload("pay")).toMatchObject({ id: "pay", version: 1, warnings: [] })
    expect(await upload("pay")).toMatchObject({ version: 1 })
    const latest = await grpc.rpc.getDefinition({ id: "pay" })
    expect(latest.definition).toMatchObject({ id: "pay", version: 1, steps: [{ type: 1, retryCount: 2 }, { type: 8 }] })
    expect(await grpc.rpc.getDefinition({ id: "pay", version: 1 })).toEqual(latest)
    const { definitions, total } = await grpc.rpc.listDefinitions({ keyword: "pay", pageSize: 100 })
    expect({ definitions, total }).toMatchObject({ definitions: [{ id: "pay", steps: [] }], total: 1 })
  })

  test("start, poll, complete, read", async () => {
    await upload("order")
    const variables = { amount: 12.5, items: [{ sku: "a", ok: true, none: null }] }
    const { instance, replayed } = await grpc.rpc.startInstance({
      definitionId: "order",
      variables,
      businessKey: "o-1",
    })
    expect(replayed).toBe(false)
    expect(instance).toMatchObject({ definitionId: "order", status: 1, currentStepIds: ["charge"], variables })
    const { jobs } = await grpc.rpc.pollJobs({ workerId: "w", jobTypes: ["order-charge"], maxJobs: 64 })
    expect(jobs).toMatchObject([{ jobType: "order-charge", variables, retriesRemaining: 2, attempt: 1 }])
    await grpc.rpc.completeJob({ jobId: jobs[0]!.id, workerId: "w", variablesToSet: { paid: true } })
    const read = await grpc.rpc.getInstance({ id: instance!.id })
    expect(read.instance).toMatchObject({ status: 3, variables: { ...variables, paid: true }, businessKey: "o-1" })
    const { executions } = await grpc.rpc.getInstanceHistory({ id: instance!.id })
    expect(executions).toMatchObject([
      { stepId: "charge", stepType: SERVICE_TASK, status: 2, output: { paid: true } },
      { stepId: "end", stepType: END, status: 2 },
    ])
    const page = await grpc.rpc.listInstances({ definitionId: "order", status: 3, pageSize: 100 })
    expect(page).toMatchObject({ instances: [{ id: instance!.id }], total: 1, totalIsExact: true, nextCursor: "" })
    expect((await grpc.rpc.listInstances({ definitionId: "order", status: 1 })).instances).toEqual([])
  })

  test("a start that is sent again with the same key is one start, on either wire", async () => {
    await upload("once")
    const first = await grpc.rpc.startInstance({ definitionId: "once", idempotencyKey: "k-1" })
    const again = await grpc.rpc.startInstance({ definitionId: "once" }, { metadata: { "idempotency-key": "k-1" } })
    expect(again).toEqual({ ...first, replayed: true })
    const body = { definitionId: "once" }
    const { status, body: said } = await grpc.rest.call("POST /v1/instances", {
      body,
      headers: { "idempotency-key": "k-1" },
    })
    expect({ status, id: (said as { id: string }).id }).toEqual({ status: 201, id: first.instance!.id })
  })

  test("cancel, and a second cancel is refused", async () => {
    await upload("halt")
    const { instance } = await grpc.rpc.startInstance({ definitionId: "halt" })
    const cancelled = await grpc.rpc.cancelInstance({ id: instance!.id, reason: "no longer wanted" })
    expect(cancelled.instance).toMatchObject({ status: 5, failureReason: "no longer wanted" })
    expect(await refusalOf(grpc.rpc.cancelInstance({ id: instance!.id }))).toMatchObject({
      status: "FAILED_PRECONDITION",
      reason: "conflict",
    })
  })

  test("fail, heartbeat, exchange, retry", async () => {
    await upload("shaky")
    const { instance } = await grpc.rpc.startInstance({ definitionId: "shaky" })
    const poll = { jobTypes: ["shaky-charge"], maxJobs: 1, leaseSeconds: 30, waitSeconds: 0 }
    const taken = await grpc.rpc.exchangeJobs({ workerId: "w", poll })
    const [{ id: jobId = "", leaseToken = "" } = {}] = taken.jobs
    const beat = await grpc.rpc.heartbeat({ jobId, workerId: "w", leaseToken, leaseSeconds: 60 })
    expect(Date.parse(beat.lockExpiresAt!)).toBeGreaterThan(Date.parse(taken.jobs[0]!.lockExpiresAt!))
    expect(beat.variables).toBeUndefined()
    const whole = await grpc.rpc.heartbeat({ jobId, workerId: "w", leaseToken, withVariables: true })
    expect(whole.variables).toEqual({})
    const stack = "at charge (pay.go:7)"
    const later = { retryable: true, errorMessage: "later", retryAfter: 0, downstreamStatus: 0, stack }
    const failed = [{ jobId, leaseToken, ...later }]
    const again = await grpc.rpc.exchangeJobs({ workerId: "w", failed, poll })
    expect(again).toMatchObject({ results: [{ jobId, outcome: 1 }], jobs: [{ id: jobId, attempt: 2 }] })
    await grpc.rpc.failJob({ jobId, workerId: "w", errorMessage: "for good", stack: "at last (pay.go:9)" })
    const { body: told } = await grpc.rest.call(`GET /v1/instances/${instance!.id}/steps`)
    expect(told).toMatchObject({ items: [{ stack: "at last (pay.go:9)", attempts: [{ error: "later", stack }] }] })
    expect((await grpc.rpc.getInstance({ id: instance!.id })).instance).toMatchObject({ status: 4 })
    const retried = await grpc.rpc.retryStep({ instanceId: instance!.id, stepId: "charge", variables: { n: 1 } })
    expect(retried.instance).toMatchObject({ status: 1, variables: { n: 1 } })
  })

  test("signals and user tasks", async () => {
    const steps = [
      { id: "ask", name: "ask", type: 2, nextStep: "wait" },
      { id: "wait", name: "wait", type: 5, nextStep: "end" },
      { id: "end", name: "end", type: END },
    ]
    await grpc.rpc.uploadDefinition({ definition: { id: "people", name: "people", steps } as never })
    const { instance } = await grpc.rpc.startInstance({ definitionId: "people" })
    const instanceId = instance!.id
    await grpc.rpc.completeUserTask({ instanceId, userTaskStepId: "ask", completedBy: "ada", result: { yes: true } })
    await grpc.rpc.signalWait({ instanceId, waitStepId: "wait", variables: { signal: 1 } })
    expect((await grpc.rpc.getInstance({ id: instanceId })).instance).toMatchObject({
      status: 3,
      variables: { yes: true, signal: 1 },
    })
  })
})

describe("C-39: refusals", () => {
  test("a business key that is taken is ALREADY_EXISTS, with our code in its details", async () => {
    await upload("keyed")
    await grpc.rpc.startInstance({ definitionId: "keyed", businessKey: "b" })
    const refused = await refusalOf(grpc.rpc.startInstance({ definitionId: "keyed", businessKey: "b" }))
    expect(refused).toMatchObject({ status: "ALREADY_EXISTS", reason: "conflict", domain: "millrace" })
    expect(refused.requestId).toBe(grpc.trailer().get("x-request-id")[0])
  })

  test("every violation of a definition is told", async () => {
    const steps = [{ id: "a", name: "a", type: SERVICE_TASK, nextStep: "nowhere" }]
    const call = grpc.rpc.uploadDefinition({ definition: { id: "bad", name: "", steps } as never })
    const { status, violations } = await refusalOf(call)
    expect(status).toBe("INVALID_ARGUMENT")
    expect(violations?.map(({ field }) => field)).toEqual(["$.name", "$.steps[0].jobType", "$.steps[0].nextStep"])
  })

  test.each([
    ["an unknown instance", () => grpc.rpc.getInstance({ id: "01J00000000000000000000000" }), "NOT_FOUND"],
    ["no id", () => grpc.rpc.getInstance({}), "INVALID_ARGUMENT"],
    ["an unknown definition", () => grpc.rpc.startInstance({ definitionId: "none" }), "NOT_FOUND"],
    ["no worker", () => grpc.rpc.pollJobs({ jobTypes: ["a"] }), "INVALID_ARGUMENT"],
    ["an unknown job", () => grpc.rpc.completeJob({ jobId: "x", workerId: "w" }), "NOT_FOUND"],
    ["an unknown status", () => grpc.rpc.listInstances({ status: 99 as never }), "INVALID_ARGUMENT"],
  ])("%s: %s", async (_, call, status) => {
    expect(await refusalOf(call())).toMatchObject({ status })
  })
})
