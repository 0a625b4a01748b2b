// Jobs at the terminal: what is sent, and what is shown.
import { expect, test } from "vitest"
import { useTerminal } from "../../test-support/use-terminal.ts"

const { engine, run, asked } = useTerminal()

const at = "2026-11-15T09:31:00.000Z"

const job = {
  id: "01JOB",
  type: "send_email",
  status: "FAILED",
  priority: "high",
  payload: { to: "ada" },
  result: null,
  retry_count: 5,
  error: "refused",
  created_at: at,
  updated_at: at,
}

const live = { id: "01LIVE", jobType: "send_email", priority: "normal", createdAt: at, attempt: 1 }

const questions = () => engine.asked.map(({ route }) => route)

test("show, cancel and rerun: by the key, where one job alone has it", async () => {
  const keyed = (id: string, jobType: string, key = "night-7") => ({ ...live, id, jobType, key })
  const missing = { status: 404, body: { error: "not-found", message: "there is no job night-7" } }
  for (const route of ["GET /jobs/night-7", "POST /jobs/night-7/cancel", "POST /v1/jobs/night-7/rerun"])
    engine.answers[route] = missing
  engine.answers["GET /v1/jobs"] = { body: { items: [keyed("01JOB", "load"), keyed("01OTHER", "load", "night-77")] } }
  engine.answers["GET /v1/jobs/ended"] = { body: { items: [] } }
  engine.answers["GET /jobs/01JOB"] = { body: job }
  engine.answers["POST /jobs/01JOB/cancel"] = { body: { ...job, status: "CANCELLED" } }
  engine.answers["POST /v1/jobs/01JOB/rerun"] = { status: 201, body: { jobId: "01NEW" } }
  expect((await run(["jobs", "show", "night-7"])).out).toContain("01JOB")
  expect((await run(["jobs", "cancel", "night-7"])).out).toContain("is CANCELLED")
  expect((await run(["jobs", "rerun", "night-7"])).out).toContain("Enqueued 01NEW")
  engine.answers["GET /v1/jobs/ended"] = { body: { items: [keyed("01MORE", "check")] } }
  expect((await run(["jobs", "show", "night-7"])).err).toContain(
    "jobs of load and check have the key night-7: take the id, which millrace jobs --key night-7 tells",
  )
  for (const route of ["GET /v1/jobs", "GET /v1/jobs/ended"]) engine.answers[route] = { body: { items: [] } }
  expect((await run(["jobs", "show", "night-7"])).err).toContain("there is no job with the id or the key night-7")
})

test("list: what has not ended, the leased first, until there are as many as asked for", async () => {
  engine.answers["GET /v1/jobs"] = { body: { items: [{ ...live, status: "leased", workerId: "w-1" }] } }
  const { out } = await run(["jobs", "--type", "send_email", "--limit", "3"])
  expect(out).toMatch(/^01LIVE +send_email +leased +.* ago +1 +normal +w-1$/m)
  expect(out).toContain("… and more: raise --limit")
  expect(questions()).toEqual([
    "GET /v1/jobs?jobType=send_email&pageSize=3&status=leased",
    "GET /v1/jobs?jobType=send_email&pageSize=2&status=ready",
    "GET /v1/jobs?jobType=send_email&pageSize=1&status=delayed",
  ])
})

test("list: a job that is held back by a pause says so, with the reason", async () => {
  const rows = ["01A", "01B", "01C"].map((id) => ({ ...live, id, status: "ready" }))
  const items = [rows[0], { ...rows[1], priority: "high" }, { ...rows[2], priority: "high", jobType: "report" }]
  const pauses = [
    { kind: "queue", name: "normal", pausedBy: "ops", pausedAt: at, reason: "mail server is down" },
    { kind: "jobType", name: "report", pausedBy: "ops", pausedAt: at },
  ]
  engine.answers["GET /v1/jobs"] = { body: { items } }
  engine.answers["GET /v1/pauses"] = { body: { items: pauses } }
  const { out } = await run(["jobs", "--status", "ready"])
  expect(out).toMatch(/^01A .* normal +paused: mail server is down$/m)
  expect(out).toMatch(/^01B .* high$/m)
  expect(out).toMatch(/^01C .* high +paused$/m)
  expect(JSON.parse((await run(["jobs", "--status", "ready", "--json"])).out)).toEqual({ items, more: false })
})

test("list: one status that has not ended, in small letters; none is said so", async () => {
  engine.answers["GET /v1/jobs"] = { body: { items: [] } }
  expect((await run(["jobs", "list", "--status", "held"])).out).toBe("There are no such jobs.\n")
  expect(questions()).toEqual(["GET /v1/jobs?pageSize=20&status=held"])
})

test("list: those that have ended, with the error; as JSON for programs", async () => {
  const { attempt: _, ...both } = live
  const ended = { ...both, status: "FAILED", endedAt: at, attempts: 3, error: "refused" }
  engine.answers["GET /v1/jobs/ended"] = { body: { items: [ended], nextCursor: "next" } }
  const { out } = await run(["jobs", "--status", "failed", "--priority", "high"])
  expect(out).toMatch(/^01LIVE +send_email +FAILED +.* ago +3 +normal +refused$/m)
  expect(questions()).toEqual(["GET /v1/jobs/ended?priority=high&status=FAILED&pageSize=20"])
  expect(JSON.parse((await run(["jobs", "--status", "failed", "--json"])).out)).toEqual({ items: [ended], more: true })
})

test("list: ended is however it has ended, as in the library", async () => {
  engine.answers["GET /v1/jobs/ended"] = { body: { items: [] } }
  expect(await run(["jobs", "--status", "ended"])).toMatchObject({ code: 0, out: "There are no such jobs.\n" })
  expect(questions()).toEqual(["GET /v1/jobs/ended?pageSize=20"])
})

test("list: by the beginning of the key those under way, and then those that have ended", async () => {
  const { attempt: _, ...both } = { ...live, key: "import-17" }
  const ended = { ...both, status: "COMPLETED", endedAt: at, attempts: 1 }
  engine.answers["GET /v1/jobs"] = { body: { items: [] } }
  engine.answers["GET /v1/jobs/ended"] = { body: { items: [ended] } }
  const { out } = await run(["jobs", "list", "--key", "import-", "--type", "send_email"])
  expect(out).toMatch(/^01LIVE +send_email +COMPLETED +import-17 /m)
  const filter = "jobType=send_email&keyPrefix=import-&pageSize=20"
  expect(questions()).toEqual([
    ...["leased", "ready", "delayed", "held"].map((status) => `GET /v1/jobs?${filter}&status=${status}`),
    `GET /v1/jobs/ended?${filter}`,
  ])
})

test("list: with a status and a key only those of the status", async () => {
  engine.answers["GET /v1/jobs"] = { body: { items: [] } }
  engine.answers["GET /v1/jobs/ended"] = { body: { items: [] } }
  await run(["jobs", "list", "--key-prefix", "import-", "--status", "ready"])
  await run(["jobs", "list", "--key-prefix", "import-", "--status", "failed"])
  expect(questions()).toEqual([
    "GET /v1/jobs?keyPrefix=import-&pageSize=20&status=ready",
    "GET /v1/jobs/ended?keyPrefix=import-&status=FAILED&pageSize=20",
  ])
})

test("enqueue: everything that was said, durations as the wire has them", async () => {
  engine.answers["POST /jobs"] = { status: 202, body: { ...job, status: "PENDING" } }
  const words = "--priority high --key k1 --delay 10m --timeout PT5S --retries 2 --fair-key ada --downstream smtp"
  const { out } = await run(["jobs", "enqueue", "send_email", '{"to":"ada"}', ...words.split(" ")])
  expect(out).toBe("Enqueued 01JOB with priority high.\n")
  const options = { priority: "high", key: "k1", delay: "PT10M", timeout: "PT5S", retries: 2 }
  expect(engine.asked[0]?.body).toEqual({
    type: "send_email",
    payload: { to: "ada" },
    ...options,
    fair_key: "ada",
    downstream: "smtp",
  })
})

test("enqueue: of a type that no worker has asked for it says so, with the type that may be meant; it is enqueued all the same", async () => {
  engine.answers["POST /jobs"] = { status: 202, body: { ...job, type: "send_emial" } }
  engine.answers["GET /v1/job-types"] = {
    body: { items: [{ name: "send_email", lastPolledAt: at }, { name: "send_emial" }] },
  }
  const line = "No worker has asked for jobs of type send_emial so far: did you mean send_email?"
  expect((await run(["jobs", "enqueue", "send_emial"])).out).toBe(`Enqueued 01JOB with priority high.\n${line}\n`)
  engine.answers["GET /v1/job-types"] = { status: 503, body: { error: "unavailable", message: "away" } }
  expect(await run(["jobs", "enqueue", "send_emial"])).toMatchObject({
    code: 0,
    out: "Enqueued 01JOB with priority high.\n",
  })
})

test("enqueue: a repeat of the key says that nothing was enqueued", async () => {
  const headers = { "idempotent-replayed": "true" }
  engine.answers["POST /jobs"] = { status: 202, headers, body: { ...job, status: "RUNNING" } }
  const { code, out } = await run(["jobs", "enqueue", "send_email", "{}", "--key", "k1"])
  expect({ code, out }).toEqual({ code: 0, out: "Already there: 01JOB, which is RUNNING; nothing was enqueued.\n" })
})

test("enqueue: retry policy, window and limit", async () => {
  engine.answers["POST /jobs"] = { status: 202, body: job }
  const words = "--retry minutes --unique user:7:10m --limit smtp:3"
  await run(["jobs", "enqueue", "send_email", "{}", ...words.split(" ")])
  const unique = { key: "user:7", for: "PT10M" }
  const options = { retry: "minutes", unique, limit: { key: "smtp", max: 3 } }
  expect(engine.asked[0]?.body).toEqual({ type: "send_email", payload: {}, ...options })
})

test("enqueue: the payload may come from the input, or be left out", async () => {
  engine.answers["POST /jobs"] = { status: 202, body: job }
  await run(["jobs", "enqueue", "report", "-"], { input: '{"n":1}' })
  await run(["jobs", "enqueue", "report"])
  const sent = engine.asked.filter(({ route }) => route === "POST /jobs")
  expect(sent.map(({ body }) => (body as { payload: object }).payload)).toEqual([{ n: 1 }, {}])
})

test("show: fact by fact, and as one document", async () => {
  engine.answers["GET /jobs/01JOB"] = { body: job }
  const { out } = await run(["jobs", "show", "01JOB"], { columns: 60 })
  expect(out).toMatch(/^Status {6,}FAILED$/m)
  expect(out).toMatch(/^Payload {5,}\{"to":"ada"\}$/m)
  expect(out).not.toMatch(/Result|Replay/)
  expect(JSON.parse((await run(["jobs", "show", "01JOB", "--json"])).out)).toEqual(job)
})

test("show: why it waits, in whole lines, while it has not ended", async () => {
  const message = "0 jobs are before it, which gets 10 of 100 claims; no worker has ever polled for send_email"
  const reasons = [{ kind: "job-queued", detail: { message } }]
  engine.answers["GET /jobs/01JOB"] = { body: { ...job, status: "PENDING" } }
  engine.answers["GET /v1/jobs/01JOB/waiting"] = { body: { reasons } }
  const { out } = await run(["jobs", "show", "01JOB"], { columns: 80 })
  expect(out).toMatch(/^Waits {5}0 jobs are .*\n {10}.*polled for send_email$/m)
  expect(JSON.parse((await run(["jobs", "show", "01JOB", "--json"])).out).waiting).toEqual(reasons)
})

test("show: of one that failed, where its dead letter is", async () => {
  engine.answers["GET /jobs/01JOB"] = { body: job }
  engine.answers["GET /queues/dlq/01JOB"] = { body: { id: "01DEAD" } }
  expect((await run(["jobs", "show", "01JOB"])).out).toMatch(/^Dead letter {2}millrace dead-letters show 01JOB$/m)
  expect(asked()).toEqual([["GET /jobs/01JOB"], ["GET /queues/dlq/01JOB"]])
})

test("show: of one that failed and was replayed, as which job", async () => {
  const message = "there is no dead letter 01JOB: it was replayed by ann at 2026-11-15T09:31:00.000Z, as job 01NEW"
  engine.answers["GET /jobs/01JOB"] = { body: job }
  engine.answers["GET /queues/dlq/01JOB"] = { status: 404, body: { error: "not-found", message } }
  expect((await run(["jobs", "show", "01JOB"])).out).toContain(`Dead letter  ${message}\n`)
})

test("cancel: says what has become of it", async () => {
  engine.answers["POST /jobs/01JOB/cancel"] = { body: { ...job, status: "CANCELLED" } }
  expect((await run(["jobs", "cancel", "01JOB", "--reason", "typo"])).out).toBe("Job 01JOB is CANCELLED.\n")
  expect(asked()).toEqual([["POST /jobs/01JOB/cancel", { reason: "typo" }]])
})

test("an ended job is run again as a new one", async () => {
  engine.answers["POST /v1/jobs/01JOB/rerun"] = { status: 201, body: { jobId: "01NEW" } }
  expect((await run(["jobs", "rerun", "01JOB"])).out).toBe("Enqueued 01NEW, which is 01JOB once more.\n")
  expect(JSON.parse((await run(["jobs", "rerun", "01JOB", "--json"])).out)).toEqual({ jobId: "01NEW" })
})

test.each<[string, string[], RegExp]>([
  ["no JSON", ["enqueue", "x", "{to}"], /^the payload is not JSON: /],
  ["no object", ["enqueue", "x", "[1]"], /^the payload must be a JSON object/],
  ["no duration", ["enqueue", "x", "{}", "--delay", "soon"], /^--delay soon: must be a duration/],
  [
    "no id",
    ["show"],
    /missing required argument 'id\|key'\nExample: millrace jobs show 01JN8Z3V5E8Q2R7W4Y6T9A1B3C --watch\n$/,
  ],
  ["no type", ["enqueue"], /missing required argument 'type'\nExample: millrace jobs enqueue send_email '\{/],
  ["no window", ["enqueue", "x", "--unique", "k"], /'k' is invalid.*a key, a colon and a value/],
  ["no time", ["enqueue", "x", "--unique", "k:soon"], /^--unique soon: must be a duration/],
  ["no number", ["enqueue", "x", "--limit", "k:0"], /'k:0' is invalid.*at least 1/],
])("%s: exit code 2, and nothing is sent", async (_, argv, expected) => {
  const { code, err } = await run(["jobs", ...argv])
  expect(code).toBe(2)
  expect(err).toMatch(expected)
  expect(engine.asked).toEqual([])
})
