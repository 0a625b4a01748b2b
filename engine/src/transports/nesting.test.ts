// SEC-32: variables may be nested 31 levels deep, counted from themselves, by whichever door they come in.
import { afterAll, beforeAll, expect, test } from "vitest"
import { Mill } from "../library/running/mill.ts"
import { service, workflow } from "../test-support/definitions.ts"
import { createTestGrpc, type TestGrpc } from "./grpc/test-support/test-grpc.ts"

let grpc: TestGrpc
let mill: Mill
beforeAll(async () => {
  grpc = await createTestGrpc()
  const { engine } = grpc.rest
  mill = new Mill(engine.kernel, engine.core.processId, async () => {})
  for (const id of ["deep", "started"]) await engine.upload(workflow(id, [service(id)]))
})
afterAll(async () => {
  await mill.stop()
  await grpc.close()
})

type Variables = Record<string, unknown>

function nested(levels: number): Variables {
  let value: unknown = 1
  for (let level = 1; level < levels; level++) value = level % 2 ? [value] : { in: value }
  return { in: value }
}

async function post(route: `POST /${string}`, body: unknown, headers = {}): Promise<void> {
  const { status, body: answer } = await grpc.rest.call(route, { body, headers })
  if (status >= 300) throw new Error(answer.message)
}

async function claim() {
  await post("POST /v1/instances", { definitionId: "deep" })
  const { body } = await grpc.rest.call("POST /v1/jobs/poll", { body: { workerId: "w", jobTypes: ["deep"] } })
  const [{ id: jobId, leaseToken }] = body.jobs
  return { jobId, leaseToken }
}

const workerId = "w"
const definitionId = "started"
let keys = 0
const key = () => ({ "idempotency-key": `key-${++keys}` })

const DOORS: Readonly<Record<string, (variables: Variables) => Promise<unknown>>> = {
  "REST, start": (variables) => post("POST /v1/instances", { definitionId, variables }),
  "REST, complete": async (variables) => post("POST /v1/jobs/complete", { ...(await claim()), workerId, variables }),
  "REST, exchange": async (variables) =>
    post("POST /v1/jobs/exchange", { workerId, completed: [{ ...(await claim()), variables }] }),
  "REST, enqueue": (payload) => post("POST /jobs", { type: "deep-job", payload }),
  "REST, enqueue many": (payload) => post("POST /jobs/bulk", { jobs: [{ type: "deep-job", payload }] }),
  "REST, intake": (payload) => post("POST /v1/intake/started", payload, key()),
  "gRPC, start": (variables) => grpc.rpc.startInstance({ definitionId, variables }),
  "gRPC, complete": async (variablesToSet) => grpc.rpc.completeJob({ ...(await claim()), workerId, variablesToSet }),
  "gRPC, exchange": async (variables) =>
    grpc.rpc.exchangeJobs({ workerId, completed: [{ ...(await claim()), variables }] }),
  "library, intake": (payload) => mill.intake(definitionId, payload, { key: `mill-${++keys}` }),
  "library, enqueue": (payload) => mill.enqueue("deep-job", payload),
}

test.each(Object.entries(DOORS))("SEC-32: %s takes 30 and 31 levels, and refuses 32", async (_, send) => {
  await send(nested(30))
  await send(nested(31))
  await expect(send(nested(32))).rejects.toThrow(/nesting deeper than 3[12] levels/)
})
