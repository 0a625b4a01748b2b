// What does not fit the schema of a code workflow is refused alike at each door, with every violation; intake takes it all the same.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { z } from "zod"
import { userTask, waitForSignal, workflow } from "./index.ts"
import { Mill } from "./library/running/mill.ts"
import { createTestGrpc, refusalOf, type TestGrpc } from "./transports/grpc/test-support/test-grpc.ts"
import type { TestServer } from "./transports/rest/test-support/test-server.ts"

let grpc: TestGrpc
let server: TestServer
let mill: Mill

beforeAll(async () => {
  grpc = await createTestGrpc()
  server = grpc.rest
  mill = new Mill(server.engine.kernel, server.engine.core.processId, async () => {})
})
afterAll(async () => {
  await mill.stop()
  await grpc.close()
})

const schema = z.object({ by: z.string(), amount: z.number() })
const order = workflow("door-order", {
  input: schema,
  recover: "resume",
  steps: [waitForSignal("approved", { schema }), userTask({ name: "review", schema })],
})
const good = { by: "ada", amount: 7 }
const bad = { by: 7 }
const violationsIn = (at: string) => [{ path: `${at}.amount` }, { path: `${at}.by` }]

const broken = workflow("door-broken", {
  input: schema,
  steps: [
    function fails() {
      throw new Error("out of stamps")
    },
  ],
})

async function failed(): Promise<string> {
  const { id } = await mill.start(broken, good)
  await mill.drain([broken])
  return id
}

async function waiting(): Promise<string> {
  const { id } = await mill.start(order, good)
  await mill.drain([order])
  return id
}

describe("over REST", () => {
  test("what a signal brings and what a task is completed with is refused with its violations, and the run waits on", async () => {
    const id = await waiting()
    const signal = `POST /v1/instances/${id}/signals/approved`
    const refused = await server.call(signal, { body: bad })
    expect(refused).toMatchObject({ status: 400, body: { details: violationsIn("$") } })
    expect((await server.call(signal, { body: good })).status).toBeLessThan(300)
    await mill.drain([order])
    const task = `POST /v1/instances/${id}/user-tasks/review/complete`
    expect(await server.call(task, { body: { variables: bad } })).toMatchObject({
      status: 400,
      body: { details: violationsIn("$.variables") },
    })
    expect((await server.call(task, { body: { variables: good } })).status).toBeLessThan(300)
    await mill.drain([order])
    expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED", variables: { approved: good, review: good } })
  })

  test("C-55: so is a start, and A-04: not an intake", async () => {
    await waiting()
    const start = { body: { definitionId: "door-order", variables: bad } }
    expect(await server.call("POST /v1/instances", start)).toMatchObject({
      status: 400,
      body: { details: violationsIn("$.variables") },
    })
    const headers = { "idempotency-key": "2a1c2f4e-8f3e-4d39-9f3c-7f2a5b1c9d10" }
    expect((await server.call("POST /v1/intake/door-order", { body: bad, headers })).status).toBe(202)
  })

  test("what a failed run is retried with is refused where the merged input does not fit", async () => {
    const id = await failed()
    const retry = `POST /v1/instances/${id}/retry`
    expect(await server.call(retry, { body: { variables: { by: 7 } } })).toMatchObject({
      status: 400,
      body: { details: [{ path: "$.variables.by" }] },
    })
    expect(await mill.runs.handle(id).status()).toBe("FAILED")
    expect((await server.call(retry, { body: { variables: { by: "grace" } } })).status).toBe(200)
    expect(await mill.runs.get(id)).toMatchObject({ status: "ACTIVE", variables: { by: "grace", amount: 7 } })
  })
})

describe("over gRPC", () => {
  const violationsIn = (at: string) => [{ field: `${at}.amount` }, { field: `${at}.by` }]
  const refused = (at: string) => ({ status: "INVALID_ARGUMENT", reason: "bad-request", violations: violationsIn(at) })

  test("what a signal brings and what a task is completed with is INVALID_ARGUMENT with its violations, and the run waits on", async () => {
    const instanceId = await waiting()
    const signal = (variables: object) => grpc.rpc.signalWait({ instanceId, waitStepId: "approved", variables })
    expect(await refusalOf(signal(bad))).toMatchObject(refused("$"))
    await signal(good)
    await mill.drain([order])
    const task = (result: object) =>
      grpc.rpc.completeUserTask({ instanceId, userTaskStepId: "review", completedBy: "ada", result })
    expect(await refusalOf(task(bad))).toMatchObject(refused("$.variables"))
    await task(good)
    await mill.drain([order])
    expect(await mill.runs.handle(instanceId).status()).toBe("COMPLETED")
  })

  test("C-55: so is a start", async () => {
    await waiting()
    const start = grpc.rpc.startInstance({ definitionId: "door-order", variables: bad })
    expect(await refusalOf(start)).toMatchObject(refused("$.variables"))
  })

  test("so is what a failed run is retried with", async () => {
    const instanceId = await failed()
    const retry = (variables: object) => grpc.rpc.retryStep({ instanceId, stepId: "door-broken", variables })
    expect(await refusalOf(retry({ by: 7 }))).toMatchObject({
      status: "INVALID_ARGUMENT",
      violations: [{ field: "$.variables.by" }],
    })
    await retry({ by: "grace" })
    expect(await mill.runs.handle(instanceId).status()).toBe("ACTIVE")
  })
})
