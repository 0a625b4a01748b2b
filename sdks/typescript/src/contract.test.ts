// The SDK against contracts/: every call it can make is in openapi.yaml, every code it knows is in errors.yaml.
import { readFileSync } from "node:fs"
import { Ajv2020 } from "ajv/dist/2020.js"
import { afterAll, beforeAll, expect, test } from "vitest"
import { parse } from "yaml"
import { EngineClient } from "./engine-client.ts"
import { ERROR_CODES, MillraceError } from "./errors.ts"
import { type Received, ScriptedEngine } from "./testing/scripted-engine.ts"

interface Operation {
  readonly operationId: string
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: object } } }
}
type Method = "get" | "post"
interface Contract {
  readonly paths: Record<string, Record<Method, Operation | undefined>>
}

const read = (file: string) => parse(readFileSync(new URL(`../../../contracts/${file}`, import.meta.url), "utf8"))
const contract: Contract = read("openapi.yaml")
const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(contract, "contract")
let engine: ScriptedEngine
let client: EngineClient

beforeAll(async () => {
  engine = await ScriptedEngine.start()
  engine.on("/v1/*", ({ path }) => (path.startsWith("/v1/jobs") ? undefined : { body: { items: [], reasons: [] } }))
  client = new EngineClient({ baseUrl: engine.baseUrl, workerId: "worker-1" })
})

afterAll(async () => {
  client.close()
  await engine.stop()
})

const end = { id: "done", name: "Done", type: "END" } as const
const reports = {
  completed: [{ jobId: "j", leaseToken: "t", variables: { a: 1 } }],
  failed: [{ jobId: "k", leaseToken: "t", retryable: true, errorMessage: "no", retryAfter: 1.5 }],
}
const filter = { definitionId: "order", version: 1, status: "FAILED", businessKey: "k" } as const

const calls: Record<string, () => unknown> = {
  uploadDefinition: () => client.uploadDefinition({ id: "order", name: "Order", steps: [end] }),
  getDefinition: () => client.getDefinition("order"),
  getDefinitionVersion: () => client.getDefinition("order", 2),
  listDefinitions: () => client.listDefinitions({ keyword: "o", page: 1, pageSize: 5 }),
  startInstance: () =>
    client.startInstance({ definitionId: "order", definitionVersion: 1, variables: { a: 1 }, priority: "high" }),
  listInstances: () => client.listInstances({ ...filter, startedAfter: "2025-01-01T00:00:00.000Z", cursor: "c" }),
  getInstance: () => client.getInstance("i"),
  getInstanceHistory: () => client.getHistory("i"),
  getInstanceAudit: () => client.getAudit("i"),
  getInstanceWaiting: () => client.getWaiting("i"),
  cancelInstance: () => client.cancelInstance("i", { reason: "no" }),
  completeUserTask: () => client.completeUserTask("i", "approve", { completedBy: "maria", variables: { ok: true } }),
  signalInstance: () => client.signal("i", "payment", { paid: true }),
  retryStep: () => client.retryStep("i", "charge", { variables: { a: 2 } }),
  takeIntake: () => client.intake("order", { amount: 1 }, { key: "k", linkingId: "l" }),
  getIntake: () => client.getIntake("order", "k"),
  wakeRuns: () => client.wake("l"),
  listUserTasks: () => client.listUserTasks({ status: "OPEN", assignee: "maria", group: "credit", cursor: "c" }),
  getUserTask: () => client.getUserTask("u"),
  claimUserTask: () => client.claimUserTask("u", "maria"),
  startBulk: () => client.startBulk({ action: "retry", filter, dryRun: true }),
  getBulk: () => client.getBulk("b"),
  pollJobs: () => client.poll({ jobTypes: ["a"], maxJobs: 1, leaseSeconds: 30, waitSeconds: 0 }),
  completeJob: () => client.complete("j", { leaseToken: "t", variables: { a: 1 } }),
  failJob: () => client.fail("j", { leaseToken: "t", retryable: true, errorMessage: "no", retryAfter: 5 }),
  heartbeatJob: () => client.heartbeat("j", { leaseToken: "t", leaseSeconds: 30 }),
  exchangeJobs: () => client.exchange({ ...reports, poll: { jobTypes: ["a"], maxJobs: 5 } }),
  getReadiness: () => client.ready(),
}

test.each(Object.entries(calls))("C-104: %s is sent as the contract has it", async (operationId, call) => {
  engine.received.length = 0
  await call()
  const sent = engine.received[0]!
  const { path, operation } = find(sent)
  expect(operation.operationId).toBe(operationId)
  if (!operation.requestBody) return expect(sent.text).toBe("")
  const pointer = `contract#/paths/${escaped(path)}/post/requestBody/content/application~1json/schema`
  const valid = ajv.validate(pointer, sent.body)
  expect(ajv.errors ?? []).toEqual([])
  expect(valid).toBe(true)
})

test("C-104: only the body forms, the probes and the documents have no method of their own", () => {
  const all = Object.values(contract.paths).flatMap(({ get, post }) => [get, post])
  const missing = all.flatMap((operation) =>
    operation && !(operation.operationId in calls) ? [operation.operationId] : [],
  )
  expect(missing.sort()).toEqual(["completeJobByBody", "failJobByBody", "getHealth", "getMetrics", "getOpenApi"])
})

test("the codes and what may be sent again are those of errors.yaml", () => {
  const catalogue: Record<string, { status: number; retryable: boolean }> = read("errors.yaml")
  expect([...ERROR_CODES].sort()).toEqual(Object.keys(catalogue).sort())
  for (const [code, { status, retryable }] of Object.entries(catalogue))
    expect({ code, retryable: new MillraceError({ code, status, message: "" }).retryable }).toEqual({ code, retryable })
})

/** The operation of a request; a plain path wins over one with parameters. */
function find(sent: Received): { path: string; operation: Operation } {
  const method = sent.method.toLowerCase() as Method
  const matching = Object.keys(contract.paths)
    .filter((path) => new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`).test(sent.path))
    .sort((a, b) => a.split("{").length - b.split("{").length)
  const path = matching.find((candidate) => contract.paths[candidate]?.[method])
  const operation = path === undefined ? undefined : contract.paths[path]?.[method]
  if (path === undefined || !operation) throw new Error(`${sent.method} ${sent.path} is not in the contract`)
  return { path, operation }
}

const escaped = (path: string) => encodeURIComponent(path.replaceAll("~", "~0").replaceAll("/", "~1"))
