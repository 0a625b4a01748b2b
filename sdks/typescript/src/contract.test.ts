// The SDK against contracts/: every call it can make is in openapi.yaml, every code it knows is in errors.yaml.
import { readFileSync } from "node:fs"
import { Ajv2020 } from "ajv/dist/2020.js"
import { afterAll, beforeAll, expect, test } from "vitest"
import { parse } from "yaml"
import { ERROR_STATUS, MillraceError } from "./calls/errors.ts"
import { EngineClient } from "./client/engine-client.ts"
import { type Received, ScriptedEngine } from "./test-support/scripted-engine.ts"

interface Operation {
  readonly operationId: string
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: object } } }
}
const METHODS = ["get", "post", "put", "patch", "delete"] as const
type Method = (typeof METHODS)[number]
interface Contract {
  readonly paths: Record<string, Partial<Record<Method, Operation>>>
}

const read = (file: string) => parse(readFileSync(new URL(`../../../contracts/${file}`, import.meta.url), "utf8"))
const contract: Contract = read("openapi.yaml")
const ajv = new Ajv2020({ strict: false, validateFormats: false }).addSchema(contract, "contract")
let engine: ScriptedEngine
let client: EngineClient

beforeAll(async () => {
  engine = await ScriptedEngine.start()
  const answer = { body: { items: [], reasons: [], ids: [] } }
  engine.on("/jobs*", () => answer)
  engine.on("/queues*", () => answer)
  engine.on("/health", () => answer)
  engine.on("/v1/*", ({ path }) => (/^\/v1\/jobs\/(?!\w+\/(waiting|attempts))/.test(path) ? undefined : answer))
  client = new EngineClient({ url: engine.url, workerId: "worker-1" })
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
const settings = {
  key: "k",
  delay: "PT1S",
  timeout: "PT5S",
  fairKey: "t",
  unique: { key: "u", for: "PT1M" },
  downstream: "psp",
}
const dead = { type: "mail", priority: "high", definitionId: "order", since: "2025-01-01T00:00:00.000Z" } as const
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
  getInstanceSteps: () => client.getSteps("i"),
  searchInstances: () => client.searchInstances({ prefix: "order-1", limit: 5 }),
  getInstanceAudit: () => client.getAudit("i"),
  getInstanceWaiting: () => client.getWaiting("i"),
  cancelInstance: () => client.cancelInstance("i", { reason: "no" }),
  completeUserTask: () => client.completeUserTask("i", "approve", { completedBy: "maria", variables: { ok: true } }),
  signalInstance: () => client.signal("i", "payment", { paid: true }),
  retryInstance: () => client.retryInstance("i", { variables: { a: 2 } }),
  restartInstance: () => client.restartInstance("i", { fromStep: "charge", variables: { a: 2 } }),
  retryStep: () => client.retryStep("i", "charge", { variables: { a: 2 } }),
  takeIntake: () => client.intake("order", { amount: 1 }, { key: "k", linkingId: "l" }),
  getIntake: () => client.getIntake("order", "k"),
  wakeRuns: () => client.wake("l"),
  listUserTasks: () => client.listUserTasks({ status: "OPEN", assignee: "maria", group: "credit", cursor: "c" }),
  getUserTask: () => client.getUserTask("u"),
  claimUserTask: () => client.claimUserTask("u", "maria"),
  unclaimUserTask: () => client.unclaimUserTask("u", "maria"),
  setUserTaskDue: () => client.setUserTaskDue("u", "2030-01-01T08:00:00Z"),
  delegateUserTask: () => client.delegateUserTask("u", { assignee: "bo", from: "maria" }),
  startBulk: () => client.startBulk({ action: "retry", filter, dryRun: true }),
  getBulk: () => client.getBulk("b"),
  pollJobs: () => client.poll({ jobTypes: ["a"], maxJobs: 1, leaseSeconds: 30, waitSeconds: 0 }),
  completeJob: () => client.complete("j", { leaseToken: "t", variables: { a: 1 } }),
  failJob: () => client.fail("j", { leaseToken: "t", retryable: true, errorMessage: "no", retryAfter: 5 }),
  heartbeatJob: () => client.heartbeat("j", { leaseToken: "t", leaseSeconds: 30 }),
  exchangeJobs: () => client.exchange({ ...reports, poll: { jobTypes: ["a"], maxJobs: 5 } }),
  getReadiness: () => client.ready(),
  enqueueJob: () =>
    client.enqueue("mail", { toWhom: "ada" }, { ...settings, limit: { key: "l", max: 2 }, retry: "minutes" }),
  enqueueJobs: () => client.enqueueMany([{ type: "mail", payload: {}, ...settings }, { payload: { type: "mail" } }]),
  getJob: () => client.getJob("j"),
  cancelJob: () => client.cancelJob("j", { reason: "no" }),
  explainJobWaiting: () => client.getJobWaiting("j"),
  listDeadLetters: () => client.deadLetters.list({ ...dead, limit: 5, cursor: "c" }),
  groupDeadLetters: () => client.deadLetters.groups({ since: "2025-01-01T00:00:00.000Z" }),
  getDeadLetter: () => client.deadLetters.get("d"),
  replayDeadLetter: () => client.deadLetters.replay("d"),
  discardDeadLetter: () => client.deadLetters.discard("d"),
  replayDeadLetters: () => client.deadLetters.replayAll({ filter: dead, dryRun: true }),
  discardDeadLetters: () => client.deadLetters.discardAll({ filter: dead }),
  getQueueMetrics: () => client.queues.metrics(),
  getWeights: () => client.queues.weights(),
  setWeights: () => client.queues.setWeights({ critical: 60, high: 30, normal: 10 }),
  resetWeights: () => client.queues.resetWeights(),
  getWatermarks: () => client.queues.watermarks(),
  setWatermarks: () => client.queues.setWatermarks({ critical: { high: 10, low: 5 } }),
  resetWatermarks: () => client.queues.resetWatermarks(),
  pauseQueue: () => client.queues.pauseQueue("high", "incident"),
  resumeQueue: () => client.queues.resumeQueue("high"),
  listPauses: () => client.queues.pauses(),
  pause: () => client.queues.pause({ kind: "jobType", name: "mail", reason: "incident" }),
  resume: () => client.queues.resume("jobType", "mail"),
  listDownstreams: () => client.queues.downstreams(),
  getDownstream: () => client.queues.downstream("psp"),
  setDownstream: () => client.queues.setDownstream("psp", { perSecond: 25, concurrency: 3, adaptive: true }),
  deleteDownstream: () => client.queues.deleteDownstream("psp"),
  listJobTypes: () => client.queues.jobTypes(),
  setJobType: () => client.queues.setJobType("mail", { timeout: "PT2M" }),
  listWorkers: () => client.queues.workers(),
  listSchedules: () => client.schedules.list({ pageSize: 5, cursor: "c" }),
  createSchedule: () => client.schedules.create({ cron: "0 3 * * *", jobType: "report", input: {} }),
  getSchedule: () => client.schedules.get("nightly"),
  changeSchedule: () => client.schedules.change("nightly", { enabled: false, input: { a: 1 } }),
  putSchedule: () => client.schedules.put("nightly", { cron: "0 3 * * *", definitionId: "report" }),
  deleteSchedule: () => client.schedules.delete("nightly"),
  runSchedule: () => client.schedules.run("nightly"),
  listScheduleRuns: () => client.schedules.runs("nightly"),
  listDefinitionVersions: () => client.listDefinitionVersions("order"),
  getDefinitionActivity: () => client.getDefinitionActivity("order", { olderThan: "PT5M" }),
  listJobs: () =>
    client.listJobs({ status: "leased", jobType: "mail", priority: "high", keyPrefix: "k", pageSize: 5, cursor: "c" }),
  listEndedJobs: () => client.listEndedJobs({ status: "FAILED", jobType: "mail", pageSize: 5, cursor: "c" }),
  listJobAttempts: () => client.getJobAttempts("j"),
  rerunJob: () => client.rerunJob("j"),
  publishEvent: () => client.events.publish("payment.initiated", { id: "p" }, { key: "p", headers: { a: "b" } }),
  publishEvents: () => client.events.publishMany([{ type: "payment.initiated", payload: {}, key: "p" }]),
  listParkedEvents: () => client.events.parked({ sink: "billing", type: "t", key: "k", pageSize: 5, cursor: "c" }),
  replayParkedEvent: () => client.events.replay("billing", "e"),
  discardParkedEvent: () => client.events.discard("billing", "e"),
  replayParkedEvents: () => client.events.replayAll({ filter: { sink: "billing", type: "t" }, dryRun: true }),
  discardParkedEvents: () => client.events.discardAll({ filter: { sink: "billing", key: "k" } }),
  listSinks: () => client.events.sinks(),
  forgetSink: () => client.events.forgetSink("billing", { reason: "moved", force: true }),
  getOverview: () => client.observability.overview(),
  getStats: () => client.observability.stats("PT1H"),
  getComponents: () => client.observability.health(),
  getSession: () => client.observability.session(),
}

const OPERATORS = "for operators: `millrace keys`, `millrace guard` and the dashboard"

/** Operations without a method of their own; all that answer JSON are there for `client.call` too. */
const WITHOUT_METHOD: Readonly<Record<string, string>> = {
  completeJobByBody: "the other form of completeJob, for workers that know no path",
  failJobByBody: "the other form of failJob, for workers that know no path",
  getHealth: "a probe's; getReadiness says more",
  getDebugConfig: "for a person at the engine's own machine, in development",
  getMetrics: "text for Prometheus, usually on a port of its own",
  getOpenApi: "the contract itself",
  openStream: "has no end: read it with an event source",
  signIn: "sets a cookie: for browsers",
  signOut: "takes a cookie back: for browsers",
  getDashboardFile: "a page for browsers",
  openDashboard: "a redirect for browsers",
  openDocs: "a redirect for browsers",
  openUi: "a redirect for browsers",
  registerUser: "for people, who have no key",
  login: "for people, who have no key",
  changePassword: "for people, who have no key",
  startProviderSignIn: "a redirect for browsers",
  finishProviderSignIn: "a redirect for browsers",
  getTokenKeys: "for services that verify tokens themselves",
  listApiKeys: OPERATORS,
  createApiKey: OPERATORS,
  revokeApiKey: OPERATORS,
  getGuard: OPERATORS,
  listBlocks: OPERATORS,
  getShadowMode: OPERATORS,
  setShadowMode: OPERATORS,
  getShadowStats: OPERATORS,
  getShadowReport: OPERATORS,
  blockAddress: OPERATORS,
  unblockAddress: OPERATORS,
  softBlockAddress: OPERATORS,
  pardonAddress: OPERATORS,
  pardonClient: OPERATORS,
  blockAgent: OPERATORS,
  unblockAgent: OPERATORS,
  getBlockStatus: OPERATORS,
  getClientStatus: OPERATORS,
}

test.each(Object.entries(calls))("C-104: %s is sent as the contract has it", async (operationId, call) => {
  engine.received.length = 0
  await call()
  const sent = engine.received[0]!
  const { path, method, operation } = find(sent)
  expect(operation.operationId).toBe(operationId)
  if (!operation.requestBody) return expect(sent.text).toBe("")
  const pointer = `contract#/paths/${escaped(path)}/${method}/requestBody/content/application~1json/schema`
  const valid = ajv.validate(pointer, sent.body)
  expect(ajv.errors ?? []).toEqual([])
  expect(valid).toBe(true)
})

test("C-104: every operation has a method, or a reason why not", () => {
  const all = Object.values(contract.paths).flatMap((item) =>
    METHODS.flatMap((method) => item[method]?.operationId ?? []),
  )
  const reached = new Set([...Object.keys(calls), ...Object.keys(WITHOUT_METHOD)])
  expect(all.filter((operationId) => !reached.has(operationId))).toEqual([])
  expect([...reached].sort()).toEqual(all.sort())
})

test("the codes and what may be sent again are those of errors.yaml", () => {
  const catalogue: Record<string, { status: number; retryable: boolean }> = read("errors.yaml")
  const statuses = Object.entries(catalogue).map(([code, { status }]) => [code, status])
  expect(ERROR_STATUS).toEqual(Object.fromEntries(statuses))
  for (const [code, { status, retryable }] of Object.entries(catalogue))
    expect({ code, retryable: new MillraceError({ code, status, message: "" }).retryable }).toEqual({ code, retryable })
})

/** The operation of a request; a plain path wins over one with parameters. */
function find(sent: Received): { path: string; method: Method; operation: Operation } {
  const method = sent.method.toLowerCase() as Method
  const matching = Object.keys(contract.paths)
    .filter((path) => new RegExp(`^${path.replaceAll(/\{[^}]+\}/g, "[^/]+")}$`).test(sent.path))
    .sort((a, b) => a.split("{").length - b.split("{").length)
  const path = matching.find((candidate) => contract.paths[candidate]?.[method])
  const operation = path === undefined ? undefined : contract.paths[path]?.[method]
  if (path === undefined || !operation) throw new Error(`${sent.method} ${sent.path} is not in the contract`)
  return { path, method, operation }
}

const escaped = (path: string) => encodeURIComponent(path.replaceAll("~", "~0").replaceAll("/", "~1"))
