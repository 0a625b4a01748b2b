// One table of cases over REST and gRPC: the same answers, field by field, and the same refusals.

import { readFileSync } from "node:fs"
import { status } from "@grpc/grpc-js"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { parse } from "yaml"
import { errorCatalogue } from "../../support/errors.ts"
import { instanceStatuses, reportOutcomes, stepStatuses, stepTypes } from "./messages/enums.ts"
import { GRPC_STATUS } from "./refusal-status.ts"
import { createTestGrpc, refusalOf, type TestGrpc } from "./test-support/test-grpc.ts"

let grpc: TestGrpc
let ids: { readonly done: string; readonly failed: string; readonly asking: string; readonly parked: string }

const steps = {
  task: [{ id: "work", name: "work", type: "SERVICE_TASK", jobType: "both-work" }],
  ask: [{ id: "ask", name: "ask", type: "USER_TASK" }],
  wait: [
    { id: "wait", name: "wait", type: "WAIT", nextStep: "end" },
    { id: "end", name: "end", type: "END" },
  ],
}

const rest = async (route: string, body?: unknown, headers: Record<string, string> = {}) => {
  const { status, body: said } = await grpc.rest.call(route, body === undefined ? { headers } : { body, headers })
  return { status, said: said as Record<string, unknown> }
}
const start = async (definitionId: string, more: object = {}) =>
  String((await rest("POST /v1/instances", { definitionId, ...more })).said.id)

beforeAll(async () => {
  grpc = await createTestGrpc()
  for (const [id, list] of Object.entries(steps))
    await rest("POST /v1/definitions", { id, name: `The ${id}`, steps: list, metadata: { of: id } })
  const variables = {
    text: "ä€😀",
    number: 1.5,
    big: Number.MAX_SAFE_INTEGER,
    list: [1, [], {}],
    none: null,
    deep: { a: { b: false } },
  }
  const done = await start("task", { variables, businessKey: "done", linkingId: "link", priority: "high" })
  await finish({ paid: true })
  const failed = await start("task", { businessKey: "failed" })
  const { jobs } = await grpc.rpc.pollJobs({ workerId: "w", jobTypes: ["both-work"] })
  await grpc.rpc.failJob({ jobId: jobs[0]!.id, workerId: "w", errorMessage: "no luck" })
  ids = { done, failed, asking: await start("ask"), parked: await start("wait") }
})
afterAll(() => grpc.close())

async function finish(variablesToSet: object): Promise<void> {
  const { jobs } = await grpc.rpc.pollJobs({ workerId: "w", jobTypes: ["both-work"] })
  await grpc.rpc.completeJob({ jobId: jobs[0]!.id, workerId: "w", variablesToSet })
}

/** A message as the JSON of REST: words instead of numbers, and without what is empty. */
function plain(message: object): Record<string, unknown> {
  const words: Record<string, (number: number) => unknown> = {
    stepType: stepTypes.wordOf,
    outcome: reportOutcomes.wordOf,
  }
  const entries = Object.entries(message).flatMap(([key, value]): [string, unknown][] => {
    if (isEmpty(key, value)) return []
    return [[key, typeof value === "number" && words[key] ? words[key](value) : value]]
  })
  return Object.fromEntries(entries)
}

const MEANT = new Set(["currentStepIds", "variables"])
const isEmpty = (key: string, value: unknown): boolean =>
  value === undefined ||
  (!MEANT.has(key) && (value === "" || value === 0 || (Array.isArray(value) && value.length === 0)))

const instance = (message: object | undefined) => {
  const { status, ...fields } = message as { status: number }
  return { ...plain(fields), status: instanceStatuses.wordOf(status) }
}
const execution = (message: object) => {
  const { status, attempts, ...fields } = message as { status: number; attempts: object[] }
  return {
    ...plain(fields),
    status: stepStatuses.wordOf(status),
    ...(attempts.length > 0 ? { attempts: attempts.map(plain) } : {}),
  }
}

describe("C-40: the same answers on both wires", () => {
  test.each(["done", "failed", "asking", "parked"] as const)("an instance that is %s", async (which) => {
    const { said } = await rest(`GET /v1/instances/${ids[which]}`)
    expect(instance((await grpc.rpc.getInstance({ id: ids[which] })).instance)).toEqual(said)
  })

  test.each(["done", "failed", "asking", "parked"] as const)("the history of one that is %s", async (which) => {
    const { said } = await rest(`GET /v1/instances/${ids[which]}/history`)
    const { executions } = await grpc.rpc.getInstanceHistory({ id: ids[which] })
    expect(executions.map(execution)).toEqual(said.items)
  })

  test("pages of instances, by filter and by cursor", async () => {
    for (const [query, request] of [
      ["definitionId=task&pageSize=1", { definitionId: "task", pageSize: 1 }],
      ["definitionId=task&pageSize=1&page=1", { definitionId: "task", pageSize: 1, page: 1 }],
      ["status=FAILED", { status: 4 as never }],
      ["businessKey=done", { businessKey: "done" }],
      ["startedAfter=2020-01-01T00:00:00.000Z", { startedAfter: "2020-01-01T00:00:00.000Z" }],
      ["startedBefore=2020-01-01T00:00:00.000Z", { startedBefore: "2020-01-01T00:00:00.000Z" }],
    ] as const) {
      const { said } = await rest(`GET /v1/instances?${query}`)
      const { instances, nextCursor, ...page } = await grpc.rpc.listInstances(request)
      const spoken = { ...page, items: instances.map(instance), ...(nextCursor ? { nextCursor } : {}) }
      expect(spoken, query).toEqual(said)
    }
  })

  test("a definition and the list of them", async () => {
    const { said } = await rest("GET /v1/definitions/task")
    const { definition } = await grpc.rpc.getDefinition({ id: "task" })
    expect(definition).toMatchObject({ ...said, steps: [{ id: "work", type: 1, jobType: "both-work" }] })
    const list = await rest("GET /v1/definitions?keyword=the&pageSize=2")
    const { definitions, total } = await grpc.rpc.listDefinitions({ keyword: "the", pageSize: 2 })
    const items = definitions.map((one) => plain({ ...one, autoStartNextWorkflow: undefined }))
    expect({ items, total }).toMatchObject({ items: list.said.items, total: list.said.total })
  })

  test("a job, and the outcome of its reports", async () => {
    await start("task", { variables: { a: [1] } })
    const taken = await rest("POST /v1/jobs/poll", { workerId: "w", jobTypes: ["both-work"] })
    const [job] = taken.said.jobs as [Record<string, unknown>]
    const failed = [{ jobId: job.id, leaseToken: job.leaseToken, retryable: false, errorMessage: "" }]
    const reported = await rest("POST /v1/jobs/exchange", { workerId: "w", failed })
    expect(reported.said.results).toEqual([{ jobId: job.id, outcome: "accepted" }])
    await start("task", { variables: { a: [1] } })
    const { jobs } = await grpc.rpc.pollJobs({ workerId: "w", jobTypes: ["both-work"] })
    const own = new Set(["id", "instanceId", "stepExecutionId", "leaseToken", "lockExpiresAt", "idempotencyKey"])
    const kind = (value: object) => Object.fromEntries(Object.entries(value).filter(([key]) => !own.has(key)))
    expect(Object.keys(plain(jobs[0]!)).sort()).toEqual(Object.keys(plain(job)).sort())
    expect(kind(plain(jobs[0]!))).toEqual(kind(plain(job)))
    const stale = [{ jobId: String(job.id), leaseToken: "1.x", variables: {} }]
    const { results } = await grpc.rpc.exchangeJobs({ workerId: "w", completed: stale })
    expect(results.map(plain)).toEqual([{ jobId: job.id, outcome: "stale" }])
    await grpc.rpc.completeJob({ jobId: jobs[0]!.id, workerId: "w" })
  })
})

const NOWHERE = "01J00000000000000000000000"
const definition = { id: "odd", name: "odd", steps: [{ id: "a", name: "a", type: "SERVICE_TASK" }] }

/** The same mistake on both wires. */
const mistakes: readonly [
  string,
  () => readonly [string, unknown?, Record<string, string>?],
  () => Promise<unknown>,
][] = [
  [
    "an invalid definition",
    () => ["POST /v1/definitions", definition],
    () =>
      grpc.rpc.uploadDefinition({ definition: { ...definition, steps: [{ id: "a", name: "a", type: 1 }] } as never }),
  ],
  ["no such definition", () => ["GET /v1/definitions/none"], () => grpc.rpc.getDefinition({ id: "none" })],
  [
    "no such version",
    () => ["GET /v1/definitions/task/versions/9"],
    () => grpc.rpc.getDefinition({ id: "task", version: 9 }),
  ],
  [
    "a version below one",
    () => ["GET /v1/definitions/task/versions/-1"],
    () => grpc.rpc.getDefinition({ id: "task", version: -1 }),
  ],
  [
    "a page size out of range",
    () => ["GET /v1/definitions?pageSize=201"],
    () => grpc.rpc.listDefinitions({ pageSize: 201 }),
  ],
  [
    "a start of nothing",
    () => ["POST /v1/instances", { definitionId: "none" }],
    () => grpc.rpc.startInstance({ definitionId: "none" }),
  ],
  ["a start without a definition", () => ["POST /v1/instances", {}], () => grpc.rpc.startInstance({})],
  [
    "an unknown priority",
    () => ["POST /v1/instances", { definitionId: "task", priority: "urgent" }],
    () => grpc.rpc.startInstance({ definitionId: "task", priority: "urgent" }),
  ],
  [
    "an idempotency key of another start",
    () => ["POST /v1/instances", { definitionId: "ask" }, { "idempotency-key": "mine" }],
    () => grpc.rpc.startInstance({ definitionId: "task", idempotencyKey: "mine" }),
  ],
  ["no such instance", () => [`GET /v1/instances/${NOWHERE}`], () => grpc.rpc.getInstance({ id: NOWHERE })],
  [
    "the history of none",
    () => [`GET /v1/instances/${NOWHERE}/history`],
    () => grpc.rpc.getInstanceHistory({ id: NOWHERE }),
  ],
  ["a cursor of another list", () => ["GET /v1/instances?cursor=x"], () => grpc.rpc.listInstances({ cursor: "x" })],
  [
    "a cancel of what has ended",
    () => [`POST /v1/instances/${ids.done}/cancel`, {}],
    () => grpc.rpc.cancelInstance({ id: ids.done }),
  ],
  [
    "a signal to what is no WAIT",
    () => [`POST /v1/instances/${ids.asking}/signals/ask`, {}],
    () => grpc.rpc.signalWait({ instanceId: ids.asking, waitStepId: "ask" }),
  ],
  [
    "a user task that is none",
    () => [`POST /v1/instances/${ids.parked}/user-tasks/wait/complete`, {}],
    () => grpc.rpc.completeUserTask({ instanceId: ids.parked, userTaskStepId: "wait" }),
  ],
  [
    "a retry of what has not failed",
    () => [`POST /v1/instances/${ids.done}/steps/work/retry`, {}],
    () => grpc.rpc.retryStep({ instanceId: ids.done, stepId: "work" }),
  ],
  ["a poll of nobody", () => ["POST /v1/jobs/poll", {}], () => grpc.rpc.pollJobs({})],
  [
    "a report on no job",
    () => ["POST /v1/jobs/none/complete", { workerId: "w" }],
    () => grpc.rpc.completeJob({ jobId: "none", workerId: "w" }),
  ],
  [
    "a failure of no job",
    () => ["POST /v1/jobs/none/fail", { workerId: "w", retryable: false, errorMessage: "" }],
    () => grpc.rpc.failJob({ jobId: "none", workerId: "w" }),
  ],
  [
    "a wait that is no wait",
    () => ["POST /v1/jobs/none/fail", { workerId: "w", retryable: false, errorMessage: "", retryAfter: -1 }],
    () => grpc.rpc.failJob({ jobId: "none", workerId: "w", retryAfter: -1 }),
  ],
  [
    "a heartbeat of a lost lease",
    () => [`POST /v1/jobs/${ids.done}-0001/heartbeat`, { workerId: "w", leaseToken: "1.x" }],
    () => grpc.rpc.heartbeat({ jobId: `${ids.done}-0001`, workerId: "w", leaseToken: "1.x" }),
  ],
  [
    "a report without its token in an exchange",
    () => ["POST /v1/jobs/exchange", { workerId: "w", completed: [{ jobId: "x" }] }],
    () => grpc.rpc.exchangeJobs({ workerId: "w", completed: [{ jobId: "x", leaseToken: "", variables: undefined }] }),
  ],
]

interface Envelope {
  readonly error: keyof typeof GRPC_STATUS
  readonly message: string
  readonly details?: readonly { path: string; message: string; hint?: string }[]
}

describe("C-39: the same refusals on both wires", () => {
  beforeAll(() =>
    start("ask").then(() => rest("POST /v1/instances", { definitionId: "wait" }, { "idempotency-key": "mine" })),
  )

  test.each(mistakes)("%s", async (_, request, rpc) => {
    const [route, body, headers] = request()
    const { status: http, said } = await rest(route, body, headers)
    const { error, message, details } = said as unknown as Envelope
    expect(http).toBe(errorCatalogue[error].status)
    const refused = await refusalOf(rpc())
    expect(refused).toMatchObject({ status: GRPC_STATUS[error], reason: error, message })
    const violations = details?.map(({ path, message, hint }) => ({
      field: path,
      description: hint === undefined ? message : `${message}: ${hint}`,
      // By which a client takes the two apart.
      localizedMessage: hint === undefined ? undefined : { locale: "en", message },
    }))
    expect(refused.violations).toEqual(violations)
  })

  test("a taken business key is ALREADY_EXISTS, and a conflict on REST", async () => {
    await start("ask", { businessKey: "taken" })
    const again = await rest("POST /v1/instances", { definitionId: "ask", businessKey: "taken" })
    const refused = await refusalOf(grpc.rpc.startInstance({ definitionId: "ask", businessKey: "taken" }))
    expect(again).toMatchObject({ status: 409, said: { error: "conflict", message: refused.message } })
    expect(refused).toMatchObject({ status: "ALREADY_EXISTS", reason: "conflict" })
  })
})

test("C-39: the statuses are those of contracts/errors.yaml", () => {
  const catalogue = parse(readFileSync(new URL("../../../../contracts/errors.yaml", import.meta.url), "utf8"))
  const published = Object.fromEntries(
    Object.entries(catalogue as Record<string, { grpc: string }>).map(([code, { grpc: name }]) => [code, name]),
  )
  expect(GRPC_STATUS).toEqual(published)
  for (const name of Object.values(GRPC_STATUS)) expect(status[name]).toBeTypeOf("number")
})
