// The operator commands on a real engine over real HTTP: what they say is what is.
import { afterAll, beforeAll, expect, test } from "vitest"
import { claimJobs } from "../../operations/jobs/claim/claim-jobs.ts"
import { drive } from "../../test-support/drive.ts"
import { createTestServer, type TestServer } from "../../transports/rest/test-support/test-server.ts"
import { runCommand } from "../test-support/run-command.ts"

const KEY = "mill_ops_canary"

let server: TestServer
beforeAll(async () => {
  const scopes = ["jobs:read", "jobs:write", "queues:write", "instances:read"]
  server = await createTestServer({
    auth: "required",
    keys: { [KEY]: { id: "ops", name: "ops", scopes } },
  })
})
afterAll(() => server.close())

const run = async (...argv: string[]) => {
  const ran = await runCommand(argv, { env: { WE_URL: server.url, WE_API_KEY: KEY } })
  expect(ran.out + ran.err).not.toContain("canary")
  return ran
}
const json = async (...argv: string[]) => {
  const { code, out, err } = await run(...argv, "--json")
  expect({ code, err }).toEqual({ code: 0, err: "" })
  return JSON.parse(out)
}
/** Claims one job of the type and gives it up for good. */
async function fail(jobType: string, error: string): Promise<void> {
  const worker = drive(server.engine.kernel)
  await worker.fail(await worker.claimOne(jobType), error, false)
}

test("D-01, D-02, B-20: a job is enqueued, shown and cancelled", async () => {
  const { id } = await json("jobs", "enqueue", "mail", '{"to":"ada"}', "--priority", "high", "--delay", "1h")
  const shown = await json("jobs", "show", id)
  expect(shown).toMatchObject({ id, type: "mail", status: "PENDING", priority: "high", payload: { to: "ada" } })
  expect((await run("jobs", "show", id)).out).toMatch(/^Payload +\{"to":"ada"\}$/m)
  expect((await run("jobs", "cancel", id, "--reason", "typo")).out).toBe(`Job ${id} is CANCELLED.\n`)
  expect(await run("jobs", "show", "01JN8Z3V5E8Q2R7W4Y6T9A1B3C")).toMatchObject({ code: 1 })
})

test("D-02: what is unique is refused twice, with a policy and a limit that the engine takes", async () => {
  const once = ["jobs", "enqueue", "once", "{}", "--unique", "user:7:10m", "--retry", "minutes", "--limit", "smtp:3"]
  await json(...once)
  expect(await run(...once)).toMatchObject({ code: 1 })
})

test("D-03, D-04, D-05, D-06: queues, weights and watermarks are read, changed and reset", async () => {
  await json("jobs", "enqueue", "deep")
  const { metrics } = await json("queues")
  expect(metrics.gates.normal).toMatchObject({ high_watermark: 10_000, low_watermark: 2_000, shut: false })
  expect(await json("weights", "set", "100", "0", "0")).toMatchObject({ critical: 100, source: "database" })
  const refused = await run("weights", "set", "50", "0", "0")
  expect(refused).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^the weights must add up to 100, these make 50/),
  })
  expect(await json("weights", "reset")).toMatchObject({ critical: 60, source: "config" })
  expect((await json("watermarks", "set", "normal", "500", "100")).normal).toMatchObject({ high: 500, low: 100 })
  expect((await json("watermarks", "reset")).normal).toMatchObject({ high: 10_000, source: "config" })
})

test("pauses of every kind are made, listed and ended", async () => {
  await json("queues", "pause", "high", "--reason", "deploying")
  await json("pauses", "add", "job-type", "mail")
  await json("downstreams", "pause", "stripe")
  const { out } = await run("pauses")
  expect(out).toMatch(/^queue +high .* deploying$/m)
  expect(out).toMatch(/^jobType +mail /m)
  await json("queues", "resume", "high")
  await json("pauses", "remove", "jobType", "mail")
  await json("downstreams", "resume", "stripe")
  expect((await run("pauses")).out).toBe("Nothing is paused.\n")
})

test("a job type that is paused before any job has it may be misspelt", async () => {
  await json("jobs", "enqueue", "import_row", "{}")
  const { out } = await run("pauses", "add", "jobType", "import_rwo")
  expect(out).toContain("No jobType has the name import_rwo so far: did you mean import_row?")
  expect((await run("pauses", "add", "jobType", "import_row")).out).not.toContain("No jobType")
  for (const name of ["import_row", "import_rwo"]) await json("pauses", "remove", "jobType", name)
})

test("downstreams are limited, listed and freed", async () => {
  await json("downstreams", "set", "stripe", "--per-second", "50", "--concurrency", "10", "--adaptive")
  expect((await run("downstreams")).out).toMatch(/^stripe +50 +0 of 10 +0 +yes +ok$/m)
  await json("downstreams", "remove", "stripe")
})

test("D-07: dead letters are listed, grouped, shown, replayed and discarded, one and many", async () => {
  for (const error of ["refused", "refused", "no such mailbox"]) {
    await json("jobs", "enqueue", "letter")
    await fail("letter", error)
  }
  const { items } = await json("dead-letters", "--type", "letter")
  expect(items).toHaveLength(3)
  const { items: groups } = await json("dead-letters", "groups")
  expect(groups[0]).toMatchObject({ error: "refused", count: 2 })
  expect((await run("dead-letters", "show", items[0].id)).out).toMatch(/^Error +no such mailbox$/m)
  expect((await run("dead-letters", "discard", items[0].id, "--yes")).out).toBe(`Discarded ${items[0].id}.\n`)
  expect((await run("dead-letters", "replay", items[1].id)).out).toMatch(/^Replayed \S+ as job \S+\.\n$/)
  const again = await run("dead-letters", "replay", items[1].id)
  expect(again).toMatchObject({ code: 1, err: expect.stringContaining("was replayed by") })
  const many = await run("dead-letters", "replay", "--error", groups[0].fingerprint, "--yes")
  expect(many.out).toMatch(/^This would replay 1 dead letter:\n[\s\S]*Replayed 1 dead letter\.\n$/)
  expect((await run("dead-letters")).out).toBe("There are no dead letters.\n")
  const back = await claimJobs(server.engine.kernel, {
    workerId: "w",
    jobTypes: ["letter"],
    maxJobs: 9,
    leaseMs: 9_000,
    waitMs: 0,
  })
  expect(back).toHaveLength(2)
})

test("D-07: a dead letter is found by the id of its job as well", async () => {
  const ids: string[] = []
  for (const _ of [1, 2]) {
    ids.push((await json("jobs", "enqueue", "by-job")).id)
    await fail("by-job", "refused")
  }
  const [first, second] = ids as [string, string]
  expect((await run("jobs", "show", first)).out).toContain(`millrace dead-letters show ${first}`)
  const letter = await json("dead-letters", "show", first)
  expect(letter).toMatchObject({ job_id: first, error: "refused" })
  expect(await json("dead-letters", "replay", first)).toMatchObject({ replayed: letter.id })
  expect((await run("dead-letters", "discard", second, "--yes")).code).toBe(0)
  expect((await run("dead-letters", "--type", "by-job")).out).toBe("There are no dead letters.\n")
})

test("a job that waits says why", async () => {
  const { id } = await json("jobs", "enqueue", "nobody-does-this")
  expect((await run("jobs", "show", id)).out).toMatch(
    /^Waits .* No worker has ever asked for nobody-does-this: start one that does\./m,
  )
})

test("B-01: schedules are made, shown, switched, run by hand and removed", async () => {
  const make = ["schedules", "create", "nightly", "--cron", "0 3 * * *", "--timezone", "Europe/Berlin"]
  await json(...make, "--job-type", "report", "--input", '{"kind":"all"}')
  expect((await run("schedules")).out).toMatch(
    /^nightly +0 3 \* \* \* +Europe\/Berlin +job report +never +in \d+ (h|min|s)$/m,
  )
  expect(await run(...make, "--job-type", "report")).toMatchObject({ code: 1, err: expect.stringMatching(/--replace/) })
  expect(await json("schedules", "disable", "nightly")).toMatchObject({ enabled: false, input: { kind: "all" } })
  expect(await json("schedules", "enable", "nightly")).toMatchObject({ enabled: true, timezone: "Europe/Berlin" })
  const { workId } = await json("schedules", "run", "nightly")
  expect(await json("jobs", "show", workId)).toMatchObject({ type: "report", payload: { kind: "all" } })
  expect((await json("schedules", "history", "nightly")).items).toMatchObject([{ cause: "manual", workId }])
  expect(await json("schedules", "show", "nightly")).toMatchObject({ lastOutcome: "started" })
  expect((await run("schedules", "delete", "nightly", "--yes")).code).toBe(0)
  expect(await run("schedules", "show", "nightly")).toMatchObject({ code: 1, err: "there is no schedule nightly" })
  const wrong = await run("schedules", "create", "x", "--cron", "99 * * * *", "--job-type", "report")
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining("minute must be 0-59") })
})

test("without the key, and with one that may not, it says what to do", async () => {
  const without = await runCommand(["queues"], { env: { WE_URL: server.url } })
  expect(without).toMatchObject({ code: 1, err: expect.stringContaining("asks for a key: set WE_API_KEY") })
  const wrong = await runCommand(["queues"], { env: { WE_URL: server.url, WE_API_KEY: "mill_x_canary" } })
  expect(wrong).toMatchObject({ code: 1, err: expect.stringContaining("does not accept the key in WE_API_KEY") })
})
