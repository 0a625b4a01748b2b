// Trace contexts while nobody traces here: they are carried through the engine as they came, and cost nothing where there is none.

import { execFileSync } from "node:child_process"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { fills } from "../../operations/flow/fill-limits.ts"
import { startChains } from "../../operations/instances/start-chains.ts"
import { wakeupsOf } from "../../operations/jobs/claim/wakeups.ts"
import { isTracing } from "../../support/spans.ts"
import { end, linear, service, workflow } from "../../test-support/definitions.ts"
import { holdLoops, noTerm, sweepAll } from "../../test-support/loops.ts"
import { loadContract } from "./test-support/contract.ts"
import { createTestServer, type TestServer } from "./test-support/test-server.ts"

const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
const tracestate = 'rojo=00f067aa0ba902b7,congo="t\\61"'
const traced = { traceparent, tracestate }

const contract = loadContract()
let server: TestServer

beforeAll(async () => {
  server = await createTestServer()
  await holdLoops(server.engine.kernel)
  await server.engine.upload(linear())
  const next = { autoStartNextWorkflow: true, nextWorkflowId: "linear" }
  await server.engine.upload(workflow("parent", [service("p", "end"), end()], next))
  await server.engine.upload(workflow("instant", [end()], next))
})
afterAll(() => server.close())

type Headers = Record<string, string>

// biome-ignore lint/suspicious/noExplicitAny: a test knows what it expects in a job.
const poll = async (...jobTypes: string[]): Promise<any> =>
  (await server.call("POST /v1/jobs/poll", { body: { workerId: "w", jobTypes, maxJobs: 1 } })).body.jobs[0]

const start = (headers: Headers = {}, definitionId = "linear") =>
  server.call("POST /v1/instances", { body: { definitionId }, headers })

const enqueue = (job: object, headers: Headers = {}) =>
  server.call("POST /jobs", { body: { payload: {}, retries: 0, ...job }, headers })

const fail = ({ id, leaseToken }: { id: string; leaseToken: string }, retryable = false) =>
  server.call(`POST /v1/jobs/${id}/fail`, { body: { workerId: "w", leaseToken, retryable, errorMessage: "x" } })

const complete = ({ id, leaseToken }: { id: string; leaseToken: string }) =>
  server.call(`POST /v1/jobs/${id}/complete`, { body: { workerId: "w", leaseToken } })

const contexts = (table: string, where = "true") =>
  server.engine.db
    .script(`select trace_context from millrace.${table} where ${where}`)
    .then((rows) => rows.map((row) => row.trace_context))

const claimsMade = async () =>
  (await server.engine.kernel.metrics.registry.metrics()).match(
    /engine_batch_size_count\{operation="claim"\} (\d+)/,
  )?.[1]

test("without a tracer, nothing that would trace is loaded", () => {
  expect(isTracing()).toBe(false)
  // In a process of its own: what a test file has loaded stays loaded for the others.
  const program = `import { createRequire } from "node:module"
    await import(${JSON.stringify(new URL("../../../dist/engine.js", import.meta.url).href)})
    console.log(JSON.stringify(Object.keys(createRequire(${JSON.stringify(import.meta.url)}).cache)))`
  const printed = execFileSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" })
  const loaded = (JSON.parse(printed) as string[]).flatMap((path) => /@opentelemetry\/([^/]+)/.exec(path)?.[1] ?? [])
  expect([...new Set(loaded)]).toEqual(["api"])
})

describe("without a traceparent", () => {
  test("no field, and nothing but null in the rows", async () => {
    await start()
    await enqueue({ type: "bare" })
    await server.call("POST /v1/intake/linear", { body: {}, headers: { "idempotency-key": "bare" } })
    for (const jobType of ["a", "a", "bare"]) {
      const job = await poll(jobType)
      expect(Object.keys(job).filter((name) => name.startsWith("trace"))).toEqual([])
      await fail(job)
    }
    expect(new Set([...(await contexts("jobs")), ...(await contexts("finished_instances"))])).toEqual(new Set([null]))
  })

  test.each([
    ["nonsense"],
    [traceparent.toUpperCase()],
    [`${traceparent}-more`],
    [`ff${traceparent.slice(2)}`],
    [`00-${"0".repeat(32)}-00f067aa0ba902b7-01`],
    [`00-4bf92f3577b34da6a3ce929d0e0e4736-${"0".repeat(16)}-01`],
    [`${traceparent}, ${traceparent}`],
  ])("%s is ignored", async (value) => {
    expect((await enqueue({ type: "odd" }, { traceparent: value, tracestate })).status).toBe(202)
    const job = await poll("odd")
    expect([job.traceparent, job.tracestate]).toEqual([undefined, undefined])
    await complete(job)
  })
})

describe("with one", () => {
  test("the jobs of an instance carry it, step for step, by poll and by exchange", async () => {
    await start(traced)
    const polled = await server.call("POST /v1/jobs/poll", { body: { workerId: "w", jobTypes: ["a"] } })
    expect(polled.body.jobs).toMatchObject([traced])
    expect(contract.faultsOf("POST", "/v1/jobs/poll", polled)).toEqual([])
    const { id: jobId, leaseToken } = polled.body.jobs[0]
    const body = { workerId: "w", completed: [{ jobId, leaseToken }], poll: { jobTypes: ["b"] } }
    const exchanged = await server.call("POST /v1/jobs/exchange", { body })
    expect(exchanged.body.jobs).toMatchObject([traced])
    expect(contract.faultsOf("POST", "/v1/jobs/exchange", exchanged)).toEqual([])
    await complete(exchanged.body.jobs[0])
  })

  test.each([
    ["plain", {}],
    ["keyed", { key: "k" }],
    ["held", { limit: { key: "trace-limit", max: 5 } }],
    ["fair", { fair_key: "tenant" }],
    ["unique", { unique: { key: "u", for: "PT1H" } }],
  ])("a %s job carries it", async (type, more) => {
    await enqueue({ type, ...more }, traced)
    if ("limit" in more) await fills(server.engine.kernel).submit("trace-limit")
    const job = await poll(type)
    expect(job).toMatchObject(traced)
    await complete(job)
  })

  test("jobs of one batch keep their own", async () => {
    const other = { traceparent: traceparent.replace("4bf9", "aaaa") }
    await Promise.all([
      enqueue({ type: "mixed" }, traced),
      enqueue({ type: "mixed" }, other),
      enqueue({ type: "mixed" }),
    ])
    const seen = await Promise.all([poll("mixed"), poll("mixed"), poll("mixed")])
    expect(seen.map((job) => job.traceparent).sort()).toEqual([traceparent, other.traceparent, undefined])
    await Promise.all(seen.map(complete))
  })

  test.each([
    ["a step's job", "a", () => start(traced)],
    ["a standalone job", "awaited", () => enqueue({ type: "awaited" }, traced)],
  ])("%s that a waiting poll is handed carries it", async (_what, jobType, ask) => {
    const wakeups = wakeupsOf(server.engine.kernel)
    await enqueue({ type: jobType })
    await complete(await poll(jobType))
    const waiting = server.call("POST /v1/jobs/poll", { body: { workerId: "w", jobTypes: [jobType], waitSeconds: 20 } })
    while (!wakeups.waitingFor().includes(jobType)) await new Promise((resolve) => setImmediate(resolve))
    const claims = await claimsMade()
    await ask()
    const [job] = (await waiting).body.jobs
    expect(job).toMatchObject(traced)
    expect(await claimsMade()).toBe(claims)
    await fail(job)
  })

  test("many jobs, and an intake of a graph, carry it", async () => {
    await server.call("POST /jobs/bulk", { body: { jobs: [{ type: "bulk", payload: {} }] }, headers: traced })
    await server.call("POST /v1/intake/linear", { body: {}, headers: { ...traced, "idempotency-key": "traced" } })
    for (const jobType of ["bulk", "a"]) {
      const job = await poll(jobType)
      expect(job).toMatchObject(traced)
      await fail(job)
    }
  })

  test("a window that takes another job in takes its trace too: what was said last counts", async () => {
    const type = "debounced"
    const unique = { key: "d", for: "PT1S", mode: "debounce" }
    await enqueue({ type, unique }, traced)
    const last = { traceparent: traceparent.replace("4bf9", "bbbb") }
    await enqueue({ type, unique }, last)
    expect(await contexts("jobs", "step_id = 'debounced'")).toEqual([last.traceparent])
  })
})

describe("what comes after", () => {
  test("a retry, and a job whose worker was lost, keep it", async () => {
    await enqueue({ type: "again", retries: 3, retry: "immediate" }, traced)
    await fail(await poll("again"), true)
    expect(await poll("again")).toMatchObject({ ...traced, attempt: 2 })
    await server.engine.advanceClock(300_000)
    await sweepAll(server.engine.kernel)
    const third = await poll("again")
    expect(third).toMatchObject({ ...traced, attempt: 3 })
    await complete(third)
  })

  test("the replay of a dead job keeps it, whoever replays it", async () => {
    const { id } = (await enqueue({ type: "dead" }, traced)).body
    await fail(await poll("dead"))
    const replay = await server.call(`POST /queues/dlq/${id}/replay`, {
      headers: { traceparent: traceparent.replace("4bf9", "cccc") },
    })
    expect(replay.status).toBe(202)
    const job = await poll("dead")
    expect(job).toMatchObject({ ...traced, id: replay.body.job_id })
    await complete(job)
  })

  test("an instance that failed and is retried keeps it", async () => {
    const { id } = (await start(traced)).body
    await fail(await poll("a"))
    expect(await contexts("finished_instances", `id = '${id}'`)).toEqual([`${traceparent} ${tracestate}`])
    expect((await server.call(`POST /v1/instances/${id}/steps/a/retry`)).status).toBe(200)
    const job = await poll("a")
    expect(job).toMatchObject({ ...traced, instanceId: id })
    await fail(job)
  })

  test.each([
    ["with a step", "parent"],
    ["that ends as it begins", "instant"],
  ])("the workflow that follows one %s goes on with its trace", async (_what, definitionId) => {
    const { id } = (await start(traced, definitionId)).body
    if (definitionId === "parent") await complete(await poll("p"))
    await startChains(server.engine.kernel, noTerm)
    const job = await poll("a")
    expect(job).toMatchObject(traced)
    expect(job.instanceId).not.toBe(id)
    await fail(job)
  })
})
