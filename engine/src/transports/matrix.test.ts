// Every route and every RPC × every scope and none × an object that is there and one that is not: who gets which answer.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { SCOPES } from "../model/people/scopes.ts"
import { insertSink } from "../store/events/sinks.ts"
import { end, service, step, workflow } from "../test-support/definitions.ts"
import { parkEvent } from "../test-support/parked-event.ts"
import { createTestGrpc, refusalOf, type TestGrpc } from "./grpc/test-support/test-grpc.ts"
import { ACCESS } from "./rest/test-support/access.ts"
import { loadContract } from "./rest/test-support/contract.ts"
import { pathFor } from "./rest/test-support/every-route.ts"
import type { Reply } from "./rest/test-support/test-server.ts"

const contract = loadContract()
const names = [...contract.operations.keys()]
let grpc: TestGrpc
let made = 0

beforeAll(async () => {
  const findKey = async (key: string) =>
    key === "unknown" ? undefined : { id: key, name: key, scopes: key.split(",") }
  grpc = await createTestGrpc({
    auth: "required",
    findKey,
    metricsOnRest: true,
    guardEnv: { SHADOW_MODE_ENABLED: "true" },
  })
  const { engine } = grpc.rest
  await engine.upload(workflow("flow", [service("flow", "end"), end()]))
  await engine.upload(workflow("ask", [step("USER_TASK", "ask", { nextStep: "end" }), end()]))
})
afterAll(() => grpc.close())

const bearer = (key: string | undefined): Record<string, string> =>
  key === undefined ? {} : { authorization: `Bearer ${key}` }
const admin = (route: string, body?: unknown): Promise<Reply> =>
  grpc.rest.call(route, { headers: bearer("admin"), ...(body === undefined ? {} : { body }) })

/** Something that is there, new each time: a call may change or remove it. */
const THINGS: Readonly<Record<string, () => Promise<string>>> = {
  definitionId: async () => "flow",
  version: async () => "1",
  instanceId: async () => (await admin("POST /v1/instances", { definitionId: "ask" })).body.id,
  stepId: async () => "ask",
  userTaskId: async () => {
    const { id } = (await admin("POST /v1/instances", { definitionId: "ask" })).body
    const { items } = (await admin("GET /v1/user-tasks?pageSize=200")).body
    return items.find(({ instanceId }: { instanceId: string }) => instanceId === id).id
  },
  jobId: async () => (await admin("POST /jobs", { type: "alone", payload: {} })).body.id,
  deadLetterId: async () => {
    await admin("POST /jobs", { type: "dies", payload: {} })
    const [{ id, leaseToken }] = (await poll("dies")).jobs
    await admin(`POST /v1/jobs/${id}/fail`, { workerId: "w", leaseToken, errorMessage: "no", retryable: false })
    return (await admin("GET /queues/dlq?type=dies&limit=1")).body.items[0].id
  },
  bulkId: async () =>
    (await admin("POST /v1/instances/bulk", { action: "cancel", filter: { definitionId: "none" } })).body.id,
  scheduleId: async () =>
    (await admin("POST /v1/schedules", { id: `s${++made}`, cron: "0 0 1 1 *", jobType: "tick" })).body.id,
  key: async () => {
    const key = `k${++made}`
    await grpc.rest.call("POST /v1/intake/flow", { body: {}, headers: { ...bearer("admin"), "idempotency-key": key } })
    return key
  },
  keyId: async () => (await admin("POST /v1/api-keys", { name: "one", scopes: ["jobs:read"] })).body.id,
  sink: async () => {
    await insertSink(grpc.rest.engine.kernel.db, "billing", "http")
    return "billing"
  },
  eventId: () => parkEvent(grpc.rest.engine.kernel, "billing"),
}

const poll = async (type: string) =>
  (await admin("POST /v1/jobs/poll", { workerId: "w", jobTypes: [type], waitSeconds: 30 })).body

/** Where a name means something else on each route. */
const NAMED: readonly (readonly [RegExp, () => Promise<Readonly<Record<string, string>>>])[] = [
  [/^\/queues\//, async () => ({ name: "normal" })],
  [
    /^\/v1\/pauses\//,
    async () => {
      const pause = { kind: "jobType", name: `n${++made}` }
      await admin("POST /v1/pauses", { ...pause, reason: "x" })
      return pause
    },
  ],
  [
    /^\/v1\/downstreams\//,
    async () => {
      const name = `d${++made}`
      await admin(`PUT /v1/downstreams/${name}`, { concurrency: 1 })
      return { name }
    },
  ],
]

async function thereOf(path: string): Promise<string> {
  const named = (await NAMED.find(([pattern]) => pattern.test(path))?.[1]()) ?? {}
  let filled = path.replaceAll(/\{(\w+)\}/g, (hole, name: string) => named[name] ?? hole)
  for (const [hole, name] of filled.matchAll(/\{(\w+)\}/g))
    filled = filled.replace(hole, (await THINGS[name!]?.()) ?? pathFor(hole))
  return filled
}

/** Without the wait of a poll. */
const exampleOf = (name: string): unknown => {
  const example = rawExampleOf(name)
  return typeof example === "object" && example !== null && "waitSeconds" in example
    ? { ...example, waitSeconds: 0 }
    : example
}

const rawExampleOf = (name: string): unknown =>
  (contract.operations.get(name)?.requestBody?.content["application/json"] as { example?: unknown } | undefined)
    ?.example

const has = (scope: string, needs: string): boolean =>
  scope === "admin" ||
  scope === needs ||
  needs === "anyone" ||
  needs === "any-key" ||
  (needs === "any-scope" && scope !== "gateway")

const holesOf = (name: string): string[] => [...name.matchAll(/\{(\w+)\}/g)].map(([, hole]) => hole!)
/** Routes that make what they name, or that name what is always there: nothing is missing for them. */
const MAKES =
  /^(PUT|DELETE) \/v1\/(downstreams|job-types)|^PUT \/v1\/schedules|^(GET|POST|DELETE) \/admin\/|^GET \/ui|^POST \/v1\/events\/parked/
/** A job that has ended is not looked up, so its lease is lost whether there ever was one. */
const LOST = /heartbeat$/
const isAboutSomething = (name: string): boolean => holesOf(name).length > 0 && !MAKES.test(name)

const ask = (name: string, path: string, key: string | undefined): Promise<Reply> => {
  const [method, template] = name.split(" ") as [string, string]
  const body = exampleOf(name)
  const headers = { ...bearer(key), ...(template.startsWith("/v1/intake/") ? { "idempotency-key": `i${++made}` } : {}) }
  const query = template === "/admin/shadow-mode" ? "?enabled=true" : ""
  return grpc.rest.call(`${method} ${path}${query}`, {
    headers,
    ...(body === undefined || method === "GET" ? {} : { body }),
  })
}

describe("S23 SEC-26: routes", () => {
  test.each(names.filter((name) => ACCESS[name]!.scope !== "anyone"))("SEC-26: %s", async (name) => {
    const { scope: needs, reaches } = ACCESS[name]!
    const path = name.split(" ")[1]!
    const refusing = await thereOf(path)
    for (const there of [refusing, pathFor(path)]) {
      for (const key of [undefined, "unknown"])
        expect((await ask(name, there, key)).body.error, key).toBe("unauthenticated")
      for (const scope of SCOPES.filter((one) => !has(one, needs)))
        expect((await ask(name, there, scope)).body.error, scope).toBe("forbidden")
    }
    for (const scope of SCOPES.filter((one) => has(one, needs))) {
      if (name === "GET /v1/stream") continue
      const found = await ask(name, await thereOf(path), scope)
      const told = `${scope}: ${found.status} ${found.text}`
      if (reaches && scope !== "admin") expect([200, 202, 204, 403], told).toContain(found.status)
      else expect([401, 403, ...(isAboutSomething(name) ? [404] : [])], told).not.toContain(found.status)
      if (!isAboutSomething(name)) continue
      const missing = await ask(name, pathFor(path), scope)
      expect(missing.status, `${scope}: ${missing.text}`).toBe(LOST.test(name) ? 409 : 404)
    }
  })
})

const NOWHERE = "01JN8Z3V5E8Q2R7W4Y6T9A1B3C"
/** For each RPC: the route that it stands for, and its message about an object. */
const RPCS = {
  uploadDefinition: [
    "POST /v1/definitions",
    undefined,
    () => ({ definition: { id: "up", name: "up", steps: [{ id: "a", name: "a", type: 2 }] } }),
  ],
  getDefinition: ["GET /v1/definitions/{definitionId}", "definitionId", (id: string) => ({ id })],
  listDefinitions: ["GET /v1/definitions", undefined, () => ({})],
  startInstance: ["POST /v1/instances", "definitionId", (definitionId: string) => ({ definitionId })],
  getInstance: ["GET /v1/instances/{instanceId}", "instanceId", (id: string) => ({ id })],
  getInstanceHistory: ["GET /v1/instances/{instanceId}/history", "instanceId", (id: string) => ({ id })],
  cancelInstance: ["POST /v1/instances/{instanceId}/cancel", "instanceId", (id: string) => ({ id })],
  listInstances: ["GET /v1/instances", undefined, () => ({})],
  pollJobs: ["POST /v1/jobs/poll", undefined, () => ({ workerId: "w", jobTypes: ["none"] })],
  completeJob: [
    "POST /v1/jobs/{jobId}/complete",
    "jobId",
    (jobId: string) => ({ jobId, workerId: "w", leaseToken: "x" }),
  ],
  failJob: [
    "POST /v1/jobs/{jobId}/fail",
    "jobId",
    (jobId: string) => ({ jobId, workerId: "w", leaseToken: "x", errorMessage: "no" }),
  ],
  completeUserTask: [
    "POST /v1/instances/{instanceId}/user-tasks/{stepId}/complete",
    "instanceId",
    (instanceId: string) => ({ instanceId, userTaskStepId: "ask" }),
  ],
  signalWait: [
    "POST /v1/instances/{instanceId}/signals/{stepId}",
    "instanceId",
    (instanceId: string) => ({ instanceId, waitStepId: "ask" }),
  ],
  retryStep: [
    "POST /v1/instances/{instanceId}/steps/{stepId}/retry",
    "instanceId",
    (instanceId: string) => ({ instanceId, stepId: "ask" }),
  ],
  heartbeat: [
    "POST /v1/jobs/{jobId}/heartbeat",
    "jobId",
    (jobId: string) => ({ jobId, workerId: "w", leaseToken: "x" }),
  ],
  exchangeJobs: ["POST /v1/jobs/exchange", undefined, () => ({ workerId: "w" })],
} as const satisfies Readonly<Record<string, readonly [string, string | undefined, (id: string) => object]>>

type Name = keyof typeof RPCS

describe("S23 SEC-26: RPCs", () => {
  /** `OK`, or the reason of the refusal. */
  async function outcomeOf(name: Name, id: string, key: string | undefined): Promise<string> {
    const call = grpc.rpc[name](RPCS[name][2](id) as never, { metadata: bearer(key) })
    const answered = await Promise.allSettled([call])
    return answered[0].status === "fulfilled" ? "OK" : (await refusalOf(call)).reason
  }

  test.each(Object.keys(RPCS) as Name[])("SEC-26: %s", async (name) => {
    const [route, thing] = RPCS[name]
    const needs = ACCESS[route]!.scope
    const there = () => (thing === undefined ? Promise.resolve("") : THINGS[thing]!())
    const refusing = await there()
    for (const id of [refusing, NOWHERE]) {
      for (const key of [undefined, "unknown"]) expect(await outcomeOf(name, id, key)).toBe("unauthenticated")
      for (const scope of SCOPES.filter((one) => !has(one, needs)))
        expect(await outcomeOf(name, id, scope), scope).toBe("forbidden")
    }
    for (const scope of SCOPES.filter((one) => has(one, needs))) {
      const refusals = ["unauthenticated", "forbidden", "not-found", "internal-error"]
      expect(refusals, scope).not.toContain(await outcomeOf(name, await there(), scope))
      if (thing !== undefined)
        expect(await outcomeOf(name, NOWHERE, scope), scope).toBe(LOST.test(name) ? "lease-lost" : "not-found")
    }
  })
})
