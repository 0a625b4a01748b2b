import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { wakeupsOf } from "../../../operations/jobs/claim/wakeups.ts"
import { databaseNow } from "../../../test-support/database-clock.ts"
import { linear, service, workflow } from "../../../test-support/definitions.ts"
import { createTestServer, type TestServer } from "../../rest/test-support/test-server.ts"

let server: TestServer
let types = 0
const call: TestServer["call"] = (route, options) => server.call(route, options)
const post = (path: string, body: unknown) => call(`POST /v1/jobs/${path}`, { body })
const get = async (id: string) => (await call(`GET /v1/instances/${id}`)).body

/** A job type of its own for each test: nobody claims another's jobs. */
async function definition(retryCount = 0): Promise<{ jobType: string; start: (more?: object) => Promise<string> }> {
  const jobType = `type-${++types}`
  await server.engine.upload(workflow(jobType, [service(jobType, undefined, { retryCount })]))
  const start = async (more: object = {}) =>
    (await call("POST /v1/instances", { body: { definitionId: jobType, ...more } })).body.id
  return { jobType, start }
}

async function claim(jobType: string, more: object = {}) {
  const { body } = await post("poll", { workerId: "w1", jobTypes: [jobType], ...more })
  return body.jobs
}

async function claimed(retryCount = 0) {
  const { jobType, start } = await definition(retryCount)
  const instanceId = await start()
  const [job] = await claim(jobType)
  return { job, instanceId, jobType }
}

const UNKNOWN = "01JN8Z3V5E8Q2R7W4Y6T9A1B3C-0001"
const FORGED = "1.00000000-0000-0000-0000-000000000000"

beforeAll(async () => {
  server = await createTestServer()
  await server.engine.upload(linear())
})
afterAll(() => server.close())

describe("C-26, C-34, C-35: poll", () => {
  test("C-34: a job carries everything a worker needs", async () => {
    const { jobType, start } = await definition(3)
    const variables = { text: 'quotes " and \\ and ü', deep: { list: [1, null, true] }, big: "12345678901234567890" }
    const instanceId = await start({ variables, businessKey: 'order "7"' })
    const { status, body, headers } = await post("poll", { workerId: "w1", jobTypes: [jobType] })
    expect(status).toBe(200)
    expect(headers.get("content-type")).toBe("application/json; charset=utf-8")
    expect(body.jobs).toHaveLength(1)
    const [job] = body.jobs
    expect(job).toEqual({
      id: expect.stringMatching(/^[\w-]{1,64}$/),
      jobType,
      instanceId,
      stepId: jobType,
      stepExecutionId: expect.any(String),
      retriesRemaining: 3,
      variables,
      lockExpiresAt: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      leaseToken: expect.any(String),
      attempt: 1,
      priority: "normal",
      definitionId: jobType,
      businessKey: 'order "7"',
      idempotencyKey: expect.any(String),
    })
  })

  test("C-26: nothing to do is an empty list, at once", async () => {
    const waits = vi.spyOn(wakeupsOf(server.engine.kernel), "wait")
    expect(await claim("nobody-makes-these")).toEqual([])
    expect(waits).not.toHaveBeenCalled()
    waits.mockRestore()
  })

  test("C-35: ten jobs unless another number is given, a hundred at most, one at least", async () => {
    const { jobType, start } = await definition()
    await Promise.all(Array.from({ length: 130 }, () => start()))
    expect(await claim(jobType)).toHaveLength(10)
    expect(await claim(jobType, { maxJobs: 0 })).toHaveLength(10)
    expect(await claim(jobType, { maxJobs: -5 })).toHaveLength(1)
    expect(await claim(jobType, { maxJobs: 2.9 })).toHaveLength(2)
    expect(await claim(jobType, { maxJobs: 1_000 })).toHaveLength(100)
  })

  test.each([
    [undefined, 30],
    [0, 30],
    [60, 60],
    [1, 5],
    [-1, 5],
    [999_999, 3_600],
  ])("C-35: a lease of %s seconds is one of %d", async (leaseSeconds, expected) => {
    const { jobType, start } = await definition()
    await start()
    const { db } = server.engine
    const before = await databaseNow(db)
    const [job] = await claim(jobType, { leaseSeconds })
    const claimedAt = Date.parse(job.lockExpiresAt) - expected * 1_000
    expect(claimedAt).toBeGreaterThanOrEqual(before)
    expect(claimedAt).toBeLessThanOrEqual(await databaseNow(db))
  })

  test.each([
    ["no worker", { jobTypes: ["a"] }, "$.workerId"],
    ["an empty worker", { workerId: "", jobTypes: ["a"] }, "$.workerId"],
    ["a worker of 201 bytes", { workerId: "w".repeat(201), jobTypes: ["a"] }, "$.workerId"],
    ["no job types", { workerId: "w" }, "$.jobTypes"],
    ["no job type at all", { workerId: "w", jobTypes: [] }, "$.jobTypes"],
    ["a job type that is no text", { workerId: "w", jobTypes: [1] }, "$.jobTypes"],
    ["a job type of 10 kB", { workerId: "w", jobTypes: ["t".repeat(10_000)] }, "$.jobTypes"],
    ["job types as text", { workerId: "w", jobTypes: "a" }, "$.jobTypes"],
    ["a number as text", { workerId: "w", jobTypes: ["a"], maxJobs: "5" }, "$.maxJobs"],
    ["a lease as text", { workerId: "w", jobTypes: ["a"], leaseSeconds: "5" }, "$.leaseSeconds"],
    ["both names of the worker", { workerId: "w", workerID: "w", jobTypes: ["a"] }, "$.workerID"],
  ])("C-26: %s is 400", async (_, body, path) => {
    const reply = await post("poll", body)
    expect([reply.status, reply.body.error]).toEqual([400, "bad-request"])
    expect(reply.body.details.map((violation: { path: string }) => violation.path)).toContain(path)
  })

  test("C-26: a poll may wait, and answers as soon as there is work", async () => {
    const { jobType, start } = await definition()
    await start()
    await claim(jobType)
    const waiting = claim(jobType, { waitSeconds: 20 })
    await expect.poll(() => wakeupsOf(server.engine.kernel).waitingFor()).toContain(jobType)
    const instanceId = await start()
    expect(await waiting).toMatchObject([{ instanceId }])
  })

  test("C-26: nothing is claimed for a client that has gone", async () => {
    const { jobType, start } = await definition()
    const leaving = new AbortController()
    const body = { workerId: "gone", jobTypes: [jobType], waitSeconds: 30 }
    const waiting = call("POST /v1/jobs/poll", { body, signal: leaving.signal }).catch((error: Error) => error.name)
    await expect.poll(() => wakeupsOf(server.engine.kernel).waitingFor()).toContain(jobType)
    leaving.abort()
    expect(await waiting).toBe("AbortError")
    await expect.poll(() => wakeupsOf(server.engine.kernel).waitingFor()).not.toContain(jobType)
    await start()
    expect(await claim(jobType)).toMatchObject([{ attempt: 1 }])
  })
})

/** The long form with the id in the path, and the short one with the id in the body. */
const forms = [
  ["the path", (jobId: string, verb: string, body: object) => post(`${encodeURIComponent(jobId)}/${verb}`, body)],
  ["the body", (jobId: string, verb: string, body: object) => post(verb, { jobId, ...body })],
] as const

describe.each(forms)("C-27, C-28: reports with the job's id in %s", (_, report) => {
  test("C-27: complete is 204, and again 204", async () => {
    const { job, instanceId } = await claimed()
    const body = { workerId: "w1", leaseToken: job.leaseToken, variables: { done: true } }
    const first = await report(job.id, "complete", body)
    expect([first.status, first.text]).toEqual([204, ""])
    expect(await get(instanceId)).toMatchObject({ status: "COMPLETED", variables: { done: true } })
    expect((await report(job.id, "complete", body)).status).toBe(204)
    const audit = (await call(`GET /v1/instances/${instanceId}/audit`)).body.items
    expect(audit.filter(({ kind }: { kind: string }) => kind === "JOB_COMPLETED")).toMatchObject([{ actor: "w1" }])
  })

  test("C-27: works without a token, by the name of the last holder, under the older names", async () => {
    const { job, instanceId } = await claimed()
    expect((await report(job.id, "complete", { workerID: "w1", variablesToSet: { old: 1 } })).status).toBe(204)
    expect(await get(instanceId)).toMatchObject({ status: "COMPLETED", variables: { old: 1 } })
  })

  test("C-27: a stale report is 204 without a token, 409 with one, and changes nothing", async () => {
    const { job, instanceId } = await claimed()
    expect((await report(job.id, "complete", { workerId: "somebody-else" })).status).toBe(204)
    for (const leaseToken of [FORGED, "not a token", "", "1", "1.x", "9".repeat(10_000)]) {
      const reply = await report(job.id, "complete", { workerId: "w1", leaseToken })
      expect([reply.status, reply.body.error]).toEqual([409, "lease-lost"])
    }
    expect((await get(instanceId)).status).toBe("ACTIVE")
  })

  test("C-27: a token is used up by the report it came with", async () => {
    const { job, instanceId } = await claimed(1)
    const holder = { workerId: "w1", leaseToken: job.leaseToken }
    expect((await report(job.id, "fail", { ...holder, retryable: true, errorMessage: "x" })).status).toBe(204)
    expect((await report(job.id, "complete", holder)).status).toBe(409)
    expect((await get(instanceId)).status).toBe("ACTIVE")
  })

  test("C-27: an unknown job is 404, whatever the token", async () => {
    for (const id of [UNKNOWN, "x", "nonsense"]) {
      for (const leaseToken of [undefined, FORGED, "not a token"]) {
        const reply = await report(id, "complete", { workerId: "w1", leaseToken })
        expect([reply.status, reply.body.error]).toEqual([404, "not-found"])
      }
      expect((await report(id, "fail", { workerId: "w1", retryable: true, errorMessage: "x" })).status).toBe(404)
    }
  })

  test("C-28: a failure that may be repeated goes back into the queue", async () => {
    const { job, jobType } = await claimed(1)
    const body = { workerId: "w1", leaseToken: job.leaseToken, retryable: true, errorMessage: "try later" }
    expect((await report(job.id, "fail", body)).status).toBe(204)
    expect((await report(job.id, "fail", body)).status).toBe(204)
    expect(await claim(jobType, { waitSeconds: 5 })).toMatchObject([{ id: job.id, attempt: 2, retriesRemaining: 0 }])
  })

  test("C-28: retryAfter holds the job back", async () => {
    const { job, jobType, instanceId } = await claimed(1)
    const body = { workerId: "w1", leaseToken: job.leaseToken, retryable: true, errorMessage: "busy", retryAfter: 60 }
    expect((await report(job.id, "fail", body)).status).toBe(204)
    expect(await claim(jobType)).toEqual([])
    const { reasons } = (await call(`GET /v1/instances/${instanceId}/waiting`)).body
    expect(reasons).toMatchObject([{ kind: "retry", detail: { dueAt: expect.any(String) } }])
  })

  test("C-28: the stack of a failure is at its attempt and at the step that failed; a long one is cut", async () => {
    const { job, jobType, instanceId } = await claimed(1)
    const signed = (leaseToken: string) => ({ workerId: "w1", leaseToken, errorMessage: "no" })
    const first = { ...signed(job.leaseToken), retryable: true, stack: "Error: no\n    at charge (pay.js:7:1)" }
    expect((await report(job.id, "fail", first)).status).toBe(204)
    const [again] = await claim(jobType, { waitSeconds: 5 })
    const failed = [{ jobId: job.id, ...signed(again.leaseToken), stack: "s".repeat(20_000) }]
    expect((await post("exchange", { workerId: "w1", failed })).body.results).toMatchObject([{ outcome: "accepted" }])
    const { items } = (await call(`GET /v1/instances/${instanceId}/steps`)).body
    expect(items).toMatchObject([{ status: "FAILED", attempts: [{ outcome: "failed", stack: first.stack }] }])
    expect(items[0].stack).toBe(`${"s".repeat(8_000)}…`)
  })

  test.each([[undefined], [""]])("C-28: a failure with the stack %j has none at its step", async (stack) => {
    const { job, instanceId } = await claimed()
    const body = { workerId: "w1", leaseToken: job.leaseToken, errorMessage: "no", stack }
    expect((await report(job.id, "fail", body)).status).toBe(204)
    const { items } = (await call(`GET /v1/instances/${instanceId}/steps`)).body
    expect(items).toMatchObject([{ status: "FAILED", failureReason: "no" }])
    expect(items[0]).not.toHaveProperty("stack")
  })

  test("C-28: a failure that may not fails the instance, with its reason", async () => {
    const { job, instanceId } = await claimed(5)
    const long = "e".repeat(20_000)
    const body = { workerId: "w1", leaseToken: job.leaseToken, retryable: false, errorMessage: long }
    expect((await report(job.id, "fail", body)).status).toBe(204)
    const { status, failureReason } = await get(instanceId)
    expect(status).toBe("FAILED")
    expect(failureReason.length).toBeGreaterThan(1_000)
    expect(failureReason.length).toBeLessThan(10_000)
  })

  test.each([
    ["complete", {}, ["$.workerId"]],
    ["complete", { workerId: "w1", variables: [] }, ["$.variables"]],
    ["complete", { workerId: "w1", variables: {}, variablesToSet: {} }, ["$.variablesToSet"]],
    ["complete", { workerId: "w1", leaseToken: 5 }, ["$.leaseToken"]],
    ["fail", {}, ["$.workerId"]],
    ["fail", { workerId: "w1", retryable: "no", errorMessage: 7 }, ["$.retryable", "$.errorMessage"]],
    ["fail", { workerId: "w1", retryable: true, errorMessage: "", retryAfter: -1 }, ["$.retryAfter"]],
    ["fail", { workerId: "w1", retryable: true, errorMessage: "", retryAfter: 1e300 }, ["$.retryAfter"]],
    ["fail", { workerId: "w1", retryable: true, errorMessage: "", retryAfter: "5" }, ["$.retryAfter"]],
  ])("C-27, C-28: %s of %j is 400 with all of it", async (verb, body, paths) => {
    const { job, instanceId } = await claimed()
    const reply = await report(job.id, verb, body)
    expect([reply.status, reply.body.error]).toEqual([400, "bad-request"])
    expect(reply.body.details.map((violation: { path: string }) => violation.path)).toEqual(paths)
    expect((await get(instanceId)).status).toBe("ACTIVE")
  })
})

describe("W-02: a failure without words", () => {
  const SPELLINGS = [{}, { errorMessage: null }, { errorMessage: "", retryable: null }, { retryable: false }]

  test.each(SPELLINGS)("W-02: %j fails the job for good, never with a 400", async (words) => {
    const { job, instanceId } = await claimed(3)
    expect((await post(`${job.id}/fail`, { workerId: "w1", ...words })).status).toBe(204)
    expect(await get(instanceId)).toMatchObject({ status: "FAILED", failureReason: "the worker gave no reason" })
  })

  test.each(SPELLINGS)("W-02: %j with the job named in the body, and in an exchange", async (words) => {
    const named = await claimed(3)
    expect((await post("fail", { jobId: named.job.id, workerId: "w1", ...words })).status).toBe(204)
    const exchanged = await claimed(3)
    const failed = [{ jobId: exchanged.job.id, leaseToken: exchanged.job.leaseToken, ...words }]
    const { body } = await post("exchange", { workerId: "w1", failed })
    expect(body.results).toEqual([{ jobId: exchanged.job.id, outcome: "accepted" }])
    for (const { instanceId } of [named, exchanged]) expect((await get(instanceId)).status).toBe("FAILED")
  })

  test("W-02: without words and retryable it is tried again", async () => {
    const { job, instanceId, jobType } = await claimed(1)
    expect((await post(`${job.id}/fail`, { workerId: "w1", retryable: true })).status).toBe(204)
    expect((await get(instanceId)).status).toBe("ACTIVE")
    expect((await claim(jobType))[0]).toMatchObject({ attempt: 2 })
  })
})

test("C-27: the short form needs the job's id", async () => {
  for (const jobId of [undefined, "", 7, "j".repeat(10_000)]) {
    expect((await post("complete", { jobId, workerId: "w1" })).status).toBe(400)
    expect((await post("fail", { jobId, workerId: "w1", retryable: true, errorMessage: "" })).status).toBe(400)
  }
})

test("C-27: an Idempotency-Key on a report is accepted, its token already does the work", async () => {
  const { job } = await claimed()
  const body = { workerId: "w1", leaseToken: job.leaseToken }
  const headers = { "idempotency-key": "report-1" }
  expect((await call(`POST /v1/jobs/${job.id}/complete`, { body, headers })).status).toBe(204)
  expect((await call(`POST /v1/jobs/${job.id}/complete`, { body, headers })).status).toBe(204)
})

describe("C-64: heartbeat", () => {
  test("C-64: answers the new end of the lease", async () => {
    const { job } = await claimed()
    const { status, body } = await post(`${job.id}/heartbeat`, {
      workerId: "w1",
      leaseToken: job.leaseToken,
      leaseSeconds: 300,
    })
    expect(status).toBe(200)
    expect(Date.parse(body.lockExpiresAt) - Date.parse(job.lockExpiresAt)).toBeGreaterThan(200_000)
    expect((await post(`${job.id}/heartbeat`, { workerId: "w1" })).status).toBe(200)
  })

  test("W-25: brings the variables where they are asked for, and to the holder alone", async () => {
    const { jobType, start } = await definition()
    await start({ variables: { n: 1, text: "ü" } })
    const [{ id, leaseToken }] = await claim(jobType)
    const ask = (more: object) => post(`${id}/heartbeat`, { workerId: "w1", leaseToken, ...more })
    expect((await ask({ withVariables: true })).body).toEqual({
      lockExpiresAt: expect.any(String),
      variables: { n: 1, text: "ü" },
    })
    expect((await ask({ withVariables: false })).body).toEqual({ lockExpiresAt: expect.any(String) })
    expect((await ask({ withVariables: true, leaseToken: FORGED })).body).not.toHaveProperty("variables")
  })

  test("C-64: a lease that is lost is 409", async () => {
    const { job } = await claimed()
    for (const leaseToken of [FORGED, "not a token", ""])
      expect((await post(`${job.id}/heartbeat`, { workerId: "w1", leaseToken })).body.error).toBe("lease-lost")
    expect((await post(`${job.id}/heartbeat`, { workerId: "other" })).body.error).toBe("lease-lost")
    expect((await post(`${UNKNOWN}/heartbeat`, { workerId: "w1" })).status).toBe(409)
    await post(`${job.id}/complete`, { workerId: "w1", leaseToken: job.leaseToken })
    expect((await post(`${job.id}/heartbeat`, { workerId: "w1", leaseToken: job.leaseToken })).status).toBe(409)
  })

  test("C-64: without a worker it is 400", async () => {
    expect((await post(`${UNKNOWN}/heartbeat`, {})).status).toBe(400)
  })
})

describe("exchange", () => {
  test("reports in order, then more work", async () => {
    const { jobType, start } = await definition(1)
    for (let n = 0; n < 4; n++) await start()
    const [first, second, third] = await claim(jobType, { maxJobs: 3 })
    const { status, body } = await post("exchange", {
      workerId: "w1",
      completed: [
        { jobId: first.id, leaseToken: first.leaseToken, variables: { n: 1 } },
        { jobId: second.id, leaseToken: FORGED },
        { jobId: UNKNOWN, leaseToken: "not a token" },
      ],
      failed: [{ jobId: third.id, leaseToken: third.leaseToken, retryable: false, errorMessage: "no" }],
      poll: { jobTypes: [jobType], maxJobs: 5 },
    })
    expect(status).toBe(200)
    expect(body.results).toEqual([
      { jobId: first.id, outcome: "accepted" },
      { jobId: second.id, outcome: "stale" },
      { jobId: UNKNOWN, outcome: "unknown" },
      { jobId: third.id, outcome: "accepted" },
    ])
    expect(body.jobs).toHaveLength(1)
    expect(await get(first.instanceId)).toMatchObject({ status: "COMPLETED", variables: { n: 1 } })
    expect(await get(third.instanceId)).toMatchObject({ status: "FAILED", failureReason: "no" })
  })

  test("the jobs that its own reports make are among the work it gets", async () => {
    await call("POST /v1/instances", { body: { definitionId: "linear" } })
    const [job] = await claim("a")
    const completed = [{ jobId: job.id, leaseToken: job.leaseToken }]
    const { body } = await post("exchange", { workerId: "w1", completed, poll: { jobTypes: ["b"] } })
    expect(body.jobs).toMatchObject([{ instanceId: job.instanceId, stepId: "b" }])
  })

  test("with reports it never waits; without any it is a poll that may", async () => {
    const { job } = await claimed()
    const waits = vi.spyOn(wakeupsOf(server.engine.kernel), "wait")
    const completed = [{ jobId: job.id, leaseToken: job.leaseToken }]
    const poll = { jobTypes: ["nobody-makes-these"], waitSeconds: 20 }
    expect((await post("exchange", { workerId: "w1", completed, poll })).body.jobs).toEqual([])
    expect(waits).not.toHaveBeenCalled()
    waits.mockRestore()
    const { jobType, start } = await definition()
    const waiting = post("exchange", { workerId: "w1", poll: { jobTypes: [jobType], waitSeconds: 20 } })
    await expect.poll(() => wakeupsOf(server.engine.kernel).waitingFor()).toContain(jobType)
    const instanceId = await start()
    expect((await waiting).body).toMatchObject({ results: [], jobs: [{ instanceId }] })
  })

  test("nothing to report and nothing to ask is fine", async () => {
    expect((await post("exchange", { workerId: "w1" })).body).toEqual({ results: [], jobs: [] })
  })

  const reports = (count: number) => Array.from({ length: count }, () => ({ jobId: UNKNOWN, leaseToken: FORGED }))
  const failures = (count: number) =>
    reports(count).map((report) => ({ ...report, retryable: true, errorMessage: "x" }))

  test("takes 500 reports, not one more", async () => {
    const { status, body } = await post("exchange", { workerId: "w1", completed: reports(250), failed: failures(250) })
    expect(status).toBe(200)
    expect(body.results).toHaveLength(500)
    expect((await post("exchange", { workerId: "w1", completed: reports(251), failed: failures(250) })).status).toBe(
      400,
    )
    expect((await post("exchange", { workerId: "w1", completed: reports(501) })).status).toBe(400)
  })

  test("one bad report refuses them all, and says which", async () => {
    const { job, instanceId } = await claimed()
    const completed = [{ jobId: job.id, leaseToken: job.leaseToken }, { jobId: UNKNOWN }]
    const failed = [{ leaseToken: 7 }]
    const { status, body } = await post("exchange", { workerId: "w1", completed, failed, poll: { maxJobs: "x" } })
    expect(status).toBe(400)
    expect(body.details.map(({ path }: { path: string }) => path)).toEqual([
      "$.completed[1].leaseToken",
      "$.failed[0].jobId",
      "$.failed[0].leaseToken",
      "$.poll.jobTypes",
      "$.poll.maxJobs",
    ])
    expect((await get(instanceId)).status).toBe("ACTIVE")
  })
})
