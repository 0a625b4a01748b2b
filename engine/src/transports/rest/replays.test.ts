// Idempotency-Key on every route that takes one: a repeat is answered as the first request was, whatever has happened since.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { runBulk } from "../../operations/instances/bulk-instances.ts"
import { linear, service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { noTerm } from "../../test-support/loops.ts"
import { parkEvent } from "../../test-support/parked-event.ts"
import { loadContract } from "./test-support/contract.ts"
import { createTestServer, type Reply, type TestServer } from "./test-support/test-server.ts"

let server: TestServer
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  server = await createTestServer({ guardEnv: {} })
  worker = drive(server.engine.kernel)
  await server.engine.upload(linear())
  await server.engine.upload(workflow("fails", [service("f")]))
  await server.engine.upload(
    workflow("people", [
      step("USER_TASK", "ask", { nextStep: "w" }),
      step("WAIT", "w", { nextStep: "a" }),
      service("a"),
    ]),
  )
})
afterAll(() => server.close())

const call = (route: string, body?: unknown, headers: Record<string, string> = {}): Promise<Reply> =>
  server.call(route, { body, headers })

const start = async (definitionId: string): Promise<string> =>
  (await call("POST /v1/instances", { definitionId })).body.id

async function failed(): Promise<string> {
  const id = await start("fails")
  await worker.fail(await worker.claimOne("f"), "no", false)
  return id
}

async function deadLetter(type: string): Promise<string> {
  await call("POST /jobs", { type, payload: {}, retry: { retries: 0 } })
  await worker.fail(await worker.claimOne(type), "no", false)
  return (await call(`GET /queues/dlq?type=${type}`)).body.items[0].id
}

const completeStep = async () => worker.complete(await worker.claimOne("f"))

interface Door {
  /** Method and path, and the body if there is one. */
  readonly send: readonly [route: string, body?: unknown]
  /** What happens before the request is sent again. */
  readonly moveOn: () => Promise<unknown>
  readonly status: number
  /** Where the same can be read, as long as nothing has happened. */
  readonly read?: string
  /** A field that only the first answer has: what is kept to answer repeats holds no secret. */
  readonly secret?: string
}

/** Changes a task that is assigned to maria. */
async function assigned(verb: "claim" | "unclaim" | "delegate" | "due", body: object): Promise<Door> {
  const id = await start("people")
  const { items } = (await call("GET /v1/user-tasks?pageSize=200")).body
  const task = items.find((item: { instanceId: string }) => item.instanceId === id)
  await call(`POST /v1/user-tasks/${task.id}/claim`, { assignee: "maria" })
  return {
    send: [`POST /v1/user-tasks/${task.id}/${verb}`, body],
    moveOn: () => call(`POST /v1/instances/${id}/user-tasks/ask/complete`, {}),
    status: 200,
    read: `/v1/user-tasks/${task.id}`,
  }
}

/** By the id that the contract gives the operation. */
const doors: Record<string, () => Promise<Door>> = {
  uploadDefinition: async () => ({
    send: ["POST /v1/definitions", linear("uploaded")],
    moveOn: () => call("POST /v1/definitions", { ...linear("uploaded"), name: "Newer" }),
    status: 201,
  }),
  startInstance: async () => ({
    send: ["POST /v1/instances", { definitionId: "linear", variables: { z: 1, 2: [1.5, null], a: "é" } }],
    moveOn: async () => call(`POST /v1/instances/${await newest("linear")}/cancel`),
    status: 201,
  }),
  cancelInstance: async () => {
    const id = await failed().then((id) => call(`POST /v1/instances/${id}/retry`).then(() => id))
    return {
      send: [`POST /v1/instances/${id}/cancel`, { reason: "x" }],
      moveOn: () => forget(id),
      status: 200,
      read: `/v1/instances/${id}`,
    }
  },
  signalInstance: async () => {
    const id = await start("people")
    await call(`POST /v1/instances/${id}/user-tasks/ask/complete`, {})
    return {
      send: [`POST /v1/instances/${id}/signals/w`, { ok: true }],
      moveOn: () => call(`POST /v1/instances/${id}/cancel`),
      status: 204,
    }
  },
  completeUserTask: async () => {
    const id = await start("people")
    return {
      send: [`POST /v1/instances/${id}/user-tasks/ask/complete`, { variables: { ok: true } }],
      moveOn: () => call(`POST /v1/instances/${id}/cancel`),
      status: 204,
    }
  },
  retryStep: async () => {
    const id = await failed()
    return {
      send: [`POST /v1/instances/${id}/steps/f/retry`, { variables: { n: 2 } }],
      moveOn: completeStep,
      status: 200,
      read: `/v1/instances/${id}`,
    }
  },
  retryInstance: async () => {
    const id = await failed()
    return { send: [`POST /v1/instances/${id}/retry`, { variables: { n: 2 } }], moveOn: completeStep, status: 200 }
  },
  restartInstance: async () => {
    const id = await failed()
    const moveOn = async () => call(`POST /v1/instances/${await newest("linear")}/cancel`)
    return { send: [`POST /v1/instances/${id}/restart`, { variables: { n: 2 } }], moveOn, status: 201 }
  },
  completeJob: () => reported("complete", (id) => `POST /v1/jobs/${id}/complete`),
  completeJobByBody: () => reported("complete", () => "POST /v1/jobs/complete"),
  failJob: () => reported("fail", (id) => `POST /v1/jobs/${id}/fail`),
  failJobByBody: () => reported("fail", () => "POST /v1/jobs/fail"),
  startBulk: async () => {
    await start("linear")
    return {
      send: ["POST /v1/instances/bulk", { action: "cancel", filter: { definitionId: "linear" } }],
      moveOn: finishBulk,
      status: 202,
    }
  },
  wakeRuns: async () => ({
    send: ["POST /v1/wakeups", { linkingId: "nothing" }],
    moveOn: async () => undefined,
    status: 200,
  }),
  claimUserTask: () => assigned("claim", { assignee: "maria" }),
  unclaimUserTask: () => assigned("unclaim", { assignee: "maria" }),
  delegateUserTask: () => assigned("delegate", { assignee: "bo", from: "maria" }),
  setUserTaskDue: () => assigned("due", { dueAt: "2030-01-01T08:00:00.000Z" }),
  enqueueJob: async () => ({
    send: ["POST /jobs", { type: "once", payload: { z: 1, a: [1.5, "é"] }, delay: "PT0.01S" }],
    moveOn: async () => call(`POST /jobs/${await newestJob("once")}/cancel`),
    status: 202,
  }),
  enqueueJobs: async () => ({
    send: [
      "POST /jobs/bulk",
      {
        jobs: [
          { type: "many", payload: {} },
          { type: "many", payload: { n: 2 } },
        ],
      },
    ],
    moveOn: async () => call(`POST /jobs/${await newestJob("many")}/cancel`),
    status: 202,
  }),
  cancelJob: async () => {
    const { id } = (await call("POST /jobs", { type: "stop", payload: { n: 1 } })).body
    return {
      send: [`POST /jobs/${id}/cancel`, { reason: "x" }],
      moveOn: forgetJobs,
      status: 200,
      read: `/jobs/${id}`,
    }
  },
  rerunJob: async () => {
    const { id } = (await call("POST /jobs", { type: "encore", payload: { n: 1 } })).body
    await call(`POST /jobs/${id}/cancel`)
    return {
      send: [`POST /v1/jobs/${id}/rerun`],
      moveOn: async () => call(`POST /jobs/${await newestJob("encore")}/cancel`),
      status: 201,
    }
  },
  replayDeadLetter: async () => {
    const id = await deadLetter("again")
    return {
      send: [`POST /queues/dlq/${id}/replay`],
      moveOn: async () => call(`POST /jobs/${await newestJob("again")}/cancel`),
      status: 202,
    }
  },
  discardDeadLetter: async () => {
    const id = await deadLetter("gone")
    return { send: [`DELETE /queues/dlq/${id}`], moveOn: async () => undefined, status: 204 }
  },
  replayDeadLetters: async () => {
    await deadLetter("all-again")
    return {
      send: ["POST /queues/dlq/replay", { filter: { type: "all-again" }, dryRun: true }],
      moveOn: () => deadLetter("all-again"),
      status: 202,
    }
  },
  discardDeadLetters: async () => {
    await deadLetter("all-gone")
    return {
      send: ["POST /queues/dlq/discard", { filter: { type: "all-gone" } }],
      moveOn: finishBulk,
      status: 202,
    }
  },
  createSchedule: async () => ({
    send: ["POST /v1/schedules", { id: "made", cron: "@daily", jobType: "t", enabled: false }],
    moveOn: () => call("DELETE /v1/schedules/made"),
    status: 201,
  }),
  putSchedule: async () => ({
    send: ["PUT /v1/schedules/put", { cron: "@daily", jobType: "t" }],
    moveOn: () => call("PATCH /v1/schedules/put", { enabled: false }),
    status: 201,
  }),
  changeSchedule: async () => {
    await call("PUT /v1/schedules/changed", { cron: "@daily", jobType: "t" })
    return {
      send: ["PATCH /v1/schedules/changed", { enabled: false }],
      moveOn: () => call("PATCH /v1/schedules/changed", { enabled: true }),
      status: 200,
      read: "/v1/schedules/changed",
    }
  },
  deleteSchedule: async () => {
    await call("PUT /v1/schedules/gone", { cron: "@daily", jobType: "t" })
    return { send: ["DELETE /v1/schedules/gone"], moveOn: async () => undefined, status: 204 }
  },
  runSchedule: async () => {
    await call("PUT /v1/schedules/ran", { cron: "@daily", jobType: "t" })
    return {
      send: ["POST /v1/schedules/ran/run"],
      moveOn: () => call("DELETE /v1/schedules/ran"),
      status: 200,
    }
  },
  setDownstream: async () => ({
    send: ["PUT /v1/downstreams/mail", { perSecond: 2, concurrency: 3 }],
    moveOn: () => call("PUT /v1/downstreams/mail", { perSecond: 9 }),
    status: 200,
    read: "/v1/downstreams/mail",
  }),
  deleteDownstream: async () => ({
    send: ["DELETE /v1/downstreams/mail"],
    moveOn: () => call("PUT /v1/downstreams/mail", { perSecond: 9 }),
    status: 204,
  }),
  setJobType: async () => ({
    send: ["PUT /v1/job-types/slow", { timeout: "PT1M" }],
    moveOn: () => call("PUT /v1/job-types/slow", { timeout: "PT2M" }),
    status: 200,
  }),
  pause: async () => ({
    send: ["POST /v1/pauses", { kind: "jobType", name: "slow", reason: "x" }],
    moveOn: () => call("DELETE /v1/pauses/jobType/slow"),
    status: 200,
  }),
  resume: async () => ({
    send: ["DELETE /v1/pauses/jobType/slow"],
    moveOn: () => call("POST /v1/pauses", { kind: "jobType", name: "slow" }),
    status: 204,
  }),
  pauseQueue: async () => ({
    send: ["POST /queues/high/pause", { reason: "x" }],
    moveOn: () => call("POST /queues/high/resume"),
    status: 200,
  }),
  resumeQueue: async () => ({
    send: ["POST /queues/high/resume"],
    moveOn: () => call("POST /queues/high/pause"),
    status: 200,
  }),
  setWeights: async () => ({
    send: ["PATCH /queues/weights", { critical: 50, high: 30, normal: 20 }],
    moveOn: () => call("PATCH /queues/weights", { critical: 60, high: 30, normal: 10 }),
    status: 200,
  }),
  resetWeights: async () => ({
    send: ["DELETE /queues/weights"],
    moveOn: () => call("PATCH /queues/weights", { critical: 60, high: 30, normal: 10 }),
    status: 200,
  }),
  setWatermarks: async () => ({
    send: ["PUT /queues/watermarks", { high: { high: 500, low: 100 } }],
    moveOn: () => call("PUT /queues/watermarks", { high: { high: 900, low: 100 } }),
    status: 200,
    read: "/queues/watermarks",
  }),
  resetWatermarks: async () => ({
    send: ["DELETE /queues/watermarks"],
    moveOn: () => call("PUT /queues/watermarks", { high: { high: 900, low: 100 } }),
    status: 200,
  }),
  publishEvent: async () => ({
    send: ["POST /v1/events", { type: "t", payload: { n: 1 } }],
    moveOn: () => server.engine.db.script("delete from millrace.events"),
    status: 202,
  }),
  publishEvents: async () => ({
    send: ["POST /v1/events/bulk", { events: [{ type: "t", payload: { n: 1 } }] }],
    moveOn: () => server.engine.db.script("delete from millrace.events"),
    status: 202,
  }),
  replayParkedEvent: async () => {
    const id = await parkEvent(server.engine.kernel, "one")
    return {
      send: [`POST /v1/events/parked/one/${id}/replay`],
      moveOn: () => call(`DELETE /v1/events/parked/one/${id}`),
      status: 202,
    }
  },
  discardParkedEvent: async () => {
    const id = await parkEvent(server.engine.kernel, "one")
    return { send: [`DELETE /v1/events/parked/one/${id}`], moveOn: forgetOne, status: 204 }
  },
  replayParkedEvents: async () => {
    await parkEvent(server.engine.kernel, "one")
    return { send: ["POST /v1/events/parked/replay", { filter: { sink: "one" } }], moveOn: forgetOne, status: 202 }
  },
  discardParkedEvents: async () => {
    await parkEvent(server.engine.kernel, "one")
    return { send: ["POST /v1/events/parked/discard", { filter: { sink: "one" } }], moveOn: forgetOne, status: 202 }
  },
  forgetSink: async () => {
    await parkEvent(server.engine.kernel, "one")
    return {
      send: ["POST /v1/sinks/one/forget", { reason: "x" }],
      moveOn: () => parkEvent(server.engine.kernel, "one"),
      status: 204,
    }
  },
  createApiKey: async () => ({
    send: ["POST /v1/api-keys", { name: "replayed", scopes: ["jobs:read"] }],
    moveOn: async () => call(`DELETE /v1/api-keys/${await newKey("another")}`),
    status: 201,
    secret: "key",
  }),
  revokeApiKey: async () => ({
    send: [`DELETE /v1/api-keys/${await newKey("revoked")}`],
    moveOn: () => newKey("newer"),
    status: 204,
  }),
  setShadowMode: async () => ({
    send: ["POST /admin/shadow-mode?enabled=true&rule=rate"],
    moveOn: () => call("POST /admin/shadow-mode?enabled=false&rule=rate"),
    status: 200,
  }),
  blockAddress: async () => ({
    send: ["POST /admin/block-ip/192.0.2.1", { reason: "x" }],
    moveOn: () => call("DELETE /admin/block-ip/192.0.2.1"),
    status: 200,
  }),
  unblockAddress: async () => {
    await call("POST /admin/block-ip/192.0.2.2")
    return { send: ["DELETE /admin/block-ip/192.0.2.2"], moveOn: blockAgain("192.0.2.2"), status: 200 }
  },
  softBlockAddress: async () => ({
    send: ["POST /admin/soft-block-ip/192.0.2.3"],
    moveOn: () => call("DELETE /admin/soft-block-ip/192.0.2.3"),
    status: 200,
  }),
  pardonAddress: async () => {
    await call("POST /admin/soft-block-ip/192.0.2.4")
    return { send: ["DELETE /admin/soft-block-ip/192.0.2.4"], moveOn: blockAgain("192.0.2.4"), status: 200 }
  },
  pardonClient: async () => ({
    send: ["POST /admin/pardons/key:0f3a9c1d2e4b5a67"],
    moveOn: blockAgain("192.0.2.5"),
    status: 200,
  }),
  blockAgent: async () => ({
    send: ["POST /admin/block-agent", { user_agent: "replayed/1" }],
    moveOn: () => call("DELETE /admin/block-agent", { user_agent: "replayed/1" }),
    status: 200,
  }),
  unblockAgent: async () => {
    await call("POST /admin/block-agent", { user_agent: "replayed/2" })
    return {
      send: ["DELETE /admin/block-agent", { user_agent: "replayed/2" }],
      moveOn: () => call("POST /admin/block-agent", { user_agent: "replayed/2" }),
      status: 200,
    }
  },
}

const newKey = async (name: string): Promise<string> =>
  (await call("POST /v1/api-keys", { name, scopes: ["jobs:read"] })).body.id

const blockAgain = (ip: string) => () => call(`POST /admin/block-ip/${ip}`)

const forgetOne = () => call("POST /v1/sinks/one/forget", { reason: "over" })

/** A report is known by the token of its lease. */
async function reported(verb: "complete" | "fail", routeTo: (jobId: string) => string): Promise<Door> {
  const instanceId = await start("fails")
  const { id, leaseToken } = await worker.claimOne("f")
  const route = routeTo(id)
  const named = route.includes(id) ? {} : { jobId: id }
  const more = verb === "fail" ? { retryable: false, errorMessage: "no" } : { variables: { n: 1 } }
  return {
    send: [route, { ...named, ...more, leaseToken, workerId: "w" }],
    moveOn: async () => (verb === "fail" ? call(`POST /v1/instances/${instanceId}/retry`) : forget(instanceId)),
    status: 204,
  }
}

async function newest(definitionId: string): Promise<string> {
  return (await call(`GET /v1/instances?definitionId=${definitionId}&pageSize=1`)).body.items[0].id
}

async function newestJob(type: string): Promise<string> {
  const text = `select instance_id as id from millrace.jobs where step_id = '${type}' order by 1 desc limit 1`
  return (await server.engine.db.script(text))[0]?.id as string
}

/** Deletes the row, as retention would. */
const forget = (id: string) => server.engine.db.script(`delete from millrace.finished_instances where id = '${id}'`)
const forgetJobs = () => server.engine.db.script("truncate millrace.history")

async function finishBulk(): Promise<void> {
  while ((await runBulk(server.engine.kernel, noTerm)) > 0);
}

const keyed = [...loadContract().operations.values()]
  .filter(({ parameters }) => parameters?.some(({ $ref }) => $ref?.endsWith("/IdempotencyKey")))
  .map(({ operationId }) => operationId)

test("every operation of the contract with an Idempotency-Key is in the table", () => {
  expect(Object.keys(doors).sort()).toEqual(keyed.sort())
})

let keys = 0

describe("F27, C-21, S3: a repeat has the status and the body of the first answer, after what it was about has moved on", () => {
  test.each(Object.entries(doors))("%s", async (_operation, prepare) => {
    const door = await prepare()
    const [route, body] = door.send
    const headers = { "idempotency-key": `replay-${++keys}` }
    const first = await call(route, body, headers)
    expect([first.status, first.headers.get("idempotent-replayed")]).toEqual([door.status, null])
    if (door.read) expect((await call(`GET ${door.read}`)).body).toEqual(first.body)
    await door.moveOn()
    for (let times = 0; times < 2; times++) {
      const again = await call(route, body, headers)
      const { [door.secret ?? ""]: _secret, ...told } = first.body ?? {}
      expect([again.status, again.text]).toEqual([first.status, door.secret ? JSON.stringify(told) : first.text])
    }
  })
})
