// Jobs, schedules and downstreams at the terminal: what is sent, and what is shown.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest"
import { type FakeEngine, startFakeEngine } from "../test-support/fake-engine.ts"
import { runCommand } from "../test-support/run-command.ts"

let engine: FakeEngine
beforeAll(async () => {
  engine = await startFakeEngine()
})
afterAll(() => engine.close())
beforeEach(() => {
  engine.asked.length = 0
  engine.answers = {}
})

const at = "2026-11-15T09:31:00.000Z"
const run = (argv: string[], terminal: { columns?: number; input?: string } = {}) =>
  runCommand(argv, { env: { WE_URL: engine.url, NO_COLOR: "1" }, ...terminal })
const asked = () => engine.asked.map(({ route, body }) => (body === undefined ? [route] : [route, body]))

describe("jobs", () => {
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

  test("enqueue: everything that was said, durations as the wire has them", async () => {
    engine.answers["POST /jobs"] = { status: 202, body: { ...job, status: "PENDING" } }
    const words = "--priority high --key k1 --delay 10m --timeout PT5S --retries 2 --fair-key ada --downstream smtp"
    const { out } = await run(["jobs", "enqueue", "send_email", '{"to":"ada"}', ...words.split(" ")])
    expect(out).toBe("Enqueued 01JOB in lane high.\n")
    const options = { priority: "high", key: "k1", delay: "PT10M", timeout: "PT5S", retries: 2 }
    expect(engine.asked[0]?.body).toEqual({
      type: "send_email",
      payload: { to: "ada" },
      ...options,
      fair_key: "ada",
      downstream: "smtp",
    })
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
    expect(engine.asked.map(({ body }) => (body as { payload: object }).payload)).toEqual([{ n: 1 }, {}])
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
    expect((await run(["jobs", "show", "01JOB"])).out).toMatch(/^Dead letter {2}millrace dlq show 01JOB$/m)
    expect(asked()).toEqual([["GET /jobs/01JOB"]])
  })

  test("cancel: says what has become of it", async () => {
    engine.answers["POST /jobs/01JOB/cancel"] = { body: { ...job, status: "CANCELLED" } }
    expect((await run(["jobs", "cancel", "01JOB", "--reason", "typo"])).out).toBe("Job 01JOB is CANCELLED.\n")
    expect(asked()).toEqual([["POST /jobs/01JOB/cancel", { reason: "typo" }]])
  })

  test.each<[string, string[], RegExp]>([
    ["no JSON", ["enqueue", "x", "{to}"], /^the payload is no JSON: /],
    ["no object", ["enqueue", "x", "[1]"], /^the payload must be a JSON object/],
    ["no duration", ["enqueue", "x", "{}", "--delay", "soon"], /^--delay soon: must be a duration/],
    [
      "no id",
      ["show"],
      /missing required argument 'id'\nExample: millrace jobs show 01JN8Z3V5E8Q2R7W4Y6T9A1B3C --watch\n$/,
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
})

describe("schedules", () => {
  const schedule = {
    id: "nightly",
    cron: "0 3 * * *",
    timezone: "Europe/Berlin",
    jobType: "report",
    input: { kind: "all" },
    overlap: "skip",
    catchUp: "last",
    enabled: true,
    lastFiredAt: new Date(Date.now() - 7_300_000).toISOString(),
    nextAt: new Date(Date.now() + 3_700_000).toISOString(),
    upcoming: [at],
    changedAt: at,
    changedBy: "ada",
  }

  test("list: what it starts, when it did last, when it does next, in 80 columns", async () => {
    engine.answers["GET /v1/schedules"] = {
      body: {
        items: [
          { ...schedule, lastOutcome: "failed" },
          { ...schedule, id: "off", enabled: false },
        ],
      },
    }
    const { out } = await run(["schedules"], { columns: 80 })
    expect(`\n${out}`).toBe(`
SCHEDULE  CRON       ZONE           STARTS         LAST  OUTCOME      NEXT
nightly   0 3 * * *  Europe/Berlin  job report  2 h ago  failed     in 1 h
off       0 3 * * *  Europe/Berlin  job report  2 h ago           disabled
`)
    const painted = await runCommand(["schedules"], { env: { WE_URL: engine.url }, columns: 80 })
    expect(painted.out).toContain("\u001b[31mfailed")
  })

  test("show: its times on its own clocks, a line each, and what became of the last run", async () => {
    const [nextAt, ...upcoming] = ["2099-03-28T02:00:00Z", "2099-03-29T01:00:00Z", "2099-03-30T01:00:00Z"]
    const failed = { lastOutcome: "failed", lastDetail: "there is no definition report" }
    engine.answers["GET /v1/schedules/nightly"] = { body: { ...schedule, ...failed, nextAt, upcoming } }
    const { out } = await run(["schedules", "show", "nightly"], { columns: 80 })
    expect(out).toMatch(/^Outcome {3}failed: there is no definition report$/m)
    expect(out).toMatch(/^Next {6}2099-03-28 03:00:00 \(2099-03-28 02:00:00 UTC, in \d+ d\)$/m)
    expect(out).toMatch(/^Then {6}2099-03-29 03:00:00 \(.* UTC, in \d+ d\)\n {10}2099-03-30 03:00:00 \(.*\)$/m)
    engine.answers["GET /v1/schedules/utc"] = { body: { ...schedule, timezone: "UTC", nextAt } }
    expect((await run(["schedules", "show", "utc"])).out).toMatch(/^Next {6}2099-03-28 02:00:00 UTC \(in \d+ d\)$/m)
  })

  test("create: an id that is taken can be replaced, and that is said", async () => {
    const taken = { error: "conflict", message: "there is a schedule nightly", requestId: "r" }
    engine.answers["POST /v1/schedules"] = { status: 409, body: taken }
    const { code, err } = await run(["schedules", "create", "nightly", "--cron", "@daily", "--job-type", "report"])
    expect([code, err]).toEqual([1, "there is a schedule nightly: `--replace` puts this one in its place"])
  })

  test("create: from options, or in place of the one there is", async () => {
    engine.answers["POST /v1/schedules"] = { status: 201, body: schedule }
    engine.answers["PUT /v1/schedules/nightly"] = { body: schedule }
    const what = ["schedules", "create", "nightly", "--cron", "0 3 * * *", "--job-type", "report"]
    await run([...what, "--timezone", "Europe/Berlin", "--input", '{"kind":"all"}', "--overlap", "queue", "--disabled"])
    await run([...what, "--replace"])
    const cron = { cron: "0 3 * * *", jobType: "report" }
    const more = { timezone: "Europe/Berlin", input: { kind: "all" }, overlap: "queue", enabled: false }
    expect(asked()).toEqual([
      ["POST /v1/schedules", { id: "nightly", ...cron, ...more }],
      ["PUT /v1/schedules/nightly", cron],
    ])
  })

  test("B-01: disable and enable change nothing else", async () => {
    engine.answers["GET /v1/schedules/nightly"] = { body: schedule }
    engine.answers["PUT /v1/schedules/nightly"] = ({ body }) => ({ body: { id: "nightly", ...(body as object) } })
    expect((await run(["schedules", "disable", "nightly"])).out).toMatch(/^State {5}disabled$/m)
    await run(["schedules", "enable", "nightly"])
    const {
      id: _,
      lastFiredAt: __,
      nextAt: ___,
      upcoming: ____,
      changedAt: _____,
      changedBy: ______,
      ...spec
    } = schedule
    expect(engine.asked.filter(({ body }) => body).map(({ body }) => body)).toEqual([{ ...spec, enabled: false }, spec])
  })

  test("run, history and delete", async () => {
    const ran = { dueAt: at, firedAt: at, cause: "manual", outcome: "started", workId: "01WORK" }
    engine.answers["POST /v1/schedules/nightly/run"] = { body: ran }
    engine.answers["GET /v1/schedules/nightly/runs"] = { body: { items: [ran], nextCursor: "c" } }
    engine.answers["DELETE /v1/schedules/nightly"] = { status: 204 }
    expect((await run(["schedules", "run", "nightly"])).out).toBe("nightly: started 01WORK\n")
    const history = await run(["schedules", "history", "nightly"], { columns: 80 })
    expect(history.out).toMatch(/^2026-11-15 09:31:00 UTC {2}manual {2}started {2}01WORK$/m)
    expect(await run(["schedules", "delete", "nightly"])).toMatchObject({ code: 2 })
    expect((await run(["schedules", "delete", "nightly", "-y"])).out).toBe("Schedule nightly is gone.\n")
  })

  test.each<[string, string[], RegExp]>([
    ["no cron", ["create", "x", "--job-type", "y"], /required option '--cron <expression>' not specified/],
    [
      "nothing to start",
      ["create", "x", "--cron", "@daily"],
      /^say what it starts: either --definition or --job-type$/,
    ],
    ["two things", ["create", "x", "--cron", "@daily", "--job-type", "y", "--definition", "z"], /^say what it starts/],
    ["no rule", ["create", "x", "--cron", "@daily", "--overlap", "wait"], /'wait' is invalid.*skip, queue, cancel/],
  ])("%s: exit code 2", async (_, argv, expected) => {
    const { code, err } = await run(["schedules", ...argv])
    expect(code).toBe(2)
    expect(err).toMatch(expected)
  })
})

describe("downstreams", () => {
  const stripe = {
    name: "stripe",
    perSecond: 50,
    effectivePerSecond: 12.5,
    concurrency: 10,
    adaptive: true,
    share: 0.25,
    slowedAt: new Date(Date.now() - 65_000).toISOString(),
    inFlight: 4,
    waiting: 1_000,
    waitingIsExact: false,
  }
  const smtp = { name: "smtp", adaptive: false, share: 1, inFlight: 0, waiting: 0, waitingIsExact: true }

  test("list: limits, what is left of them, and who is paused, in 80 columns", async () => {
    const pause = { kind: "downstream", name: "smtp", pausedBy: "ada", pausedAt: at }
    engine.answers["GET /v1/downstreams"] = { body: { items: [stripe, smtp] } }
    engine.answers["GET /v1/pauses"] = { body: { items: [pause, { ...pause, kind: "jobType", name: "stripe" }] } }
    const { out } = await run(["downstreams"], { columns: 80 })
    expect(`\n${out}`).toBe(`
DOWNSTREAM  PER SECOND  IN FLIGHT     WAITING  ADAPTIVE  STATE
stripe      12.5 of 50    4 of 10  over 1,000  yes       slowed to 25 %, 1 min …
smtp          no limit          0           0  no        paused
`)
  })

  test("rates have one decimal at most, and are never rounded to nothing", async () => {
    const rates = [
      { perSecond: 33.333, effectivePerSecond: 12.3456 },
      { perSecond: 50, effectivePerSecond: 49.99 },
      { perSecond: 0.016, effectivePerSecond: 0.016 },
    ].map((one, nth) => ({ ...stripe, ...one, name: `d${nth}` }))
    engine.answers["GET /v1/downstreams"] = { body: { items: rates } }
    engine.answers["GET /v1/pauses"] = { body: { items: [] } }
    const { out } = await run(["downstreams"])
    expect(out).toMatch(/^d0 +12\.3 of 33\.3 .*\nd1 +50 .*\nd2 +0\.02 /m)
  })

  test("set, remove, pause and resume", async () => {
    engine.answers["PUT /v1/downstreams/stripe"] = { body: stripe }
    engine.answers["DELETE /v1/downstreams/stripe"] = { status: 204 }
    engine.answers["POST /v1/pauses"] = { body: {} }
    engine.answers["DELETE /v1/pauses/downstream/stripe"] = { status: 204 }
    const paused = { kind: "downstream", name: "stripe", pausedBy: "ada", pausedAt: at }
    engine.answers["GET /v1/pauses"] = { body: { items: [paused] } }
    engine.answers["GET /v1/downstreams"] = { body: { items: [stripe, smtp] } }
    await run(["downstreams", "set", "stripe", "--per-second", "50", "--concurrency", "10", "--adaptive"])
    const pause = await run(["downstreams", "pause", "stripe", "--reason", "status page"])
    expect(pause.out).toBe("stripe is paused: jobs that need it wait until `millrace downstreams resume stripe`.\n")
    expect((await run(["downstreams", "resume", "stripe"])).out).toBe("stripe is called again.\n")
    expect((await run(["downstreams", "remove", "stripe"])).out).toBe(
      "stripe has no limits any more; `millrace downstreams set stripe --per-second 50 --concurrency 10 --adaptive` sets them again.\n",
    )
    expect(asked().filter(([route]) => !String(route).startsWith("GET"))).toEqual([
      ["PUT /v1/downstreams/stripe", { perSecond: 50, concurrency: 10, adaptive: true }],
      ["POST /v1/pauses", { kind: "downstream", name: "stripe", reason: "status page" }],
      ["DELETE /v1/pauses/downstream/stripe"],
      ["DELETE /v1/downstreams/stripe"],
    ])
    engine.answers["DELETE /v1/pauses/downstream/smtp"] = { status: 204 }
    engine.answers["DELETE /v1/downstreams/smtp"] = { status: 204 }
    expect((await run(["downstreams", "resume", "smtp"])).out).toBe("smtp was not paused.\n")
    expect((await run(["downstreams", "remove", "smtp"])).out).toBe("smtp had no limits.\n")
    expect(await run(["downstreams", "set", "stripe"])).toMatchObject({ code: 2 })
    expect(await run(["downstreams", "set", "stripe", "--per-second", "0"])).toMatchObject({ code: 2 })
  })
})
