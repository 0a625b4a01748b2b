// Schedules at the terminal: what is sent, and what is shown.
import { expect, test } from "vitest"
import { runCommand } from "../../test-support/run-command.ts"
import { useTerminal } from "../../test-support/use-terminal.ts"

const { engine, run, asked } = useTerminal()

const at = "2026-11-15T09:31:00.000Z"

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
  expect(asked().filter(([route]) => route !== "GET /v1/job-types")).toEqual([
    ["POST /v1/schedules", { id: "nightly", ...cron, ...more }],
    ["PUT /v1/schedules/nightly", cron],
  ])
})

test("create: what is not there yet is said, with the name that may be meant; --workflow is told its name here", async () => {
  engine.answers["POST /v1/schedules"] = { status: 201, body: schedule }
  engine.answers["GET /v1/definitions"] = { body: { items: [{ id: "report" }], page: 0, pageSize: 200, total: 1 } }
  engine.answers["GET /v1/job-types"] = { body: { items: [{ name: "load", lastPolledAt: at }] } }
  const create = async (...what: string[]) => run(["schedules", "create", "nightly", "--cron", "@daily", ...what])
  const last = ({ out }: { out: string }) => out.trimEnd().split("\n").at(-1)
  expect(last(await create("--definition", "reprot"))).toBe(
    "There is no definition reprot so far: did you mean report?",
  )
  expect(last(await create("--job-type", "laod"))).toBe(
    "No worker has asked for jobs of type laod so far: did you mean load?",
  )
  for (const known of [
    ["--definition", "report"],
    ["--job-type", "load"],
  ])
    expect(last(await create(...known))).toContain("2026-11-15")
  expect(await create("--workflow", "report")).toMatchObject({
    code: 2,
    err: expect.stringContaining("say --definition report: "),
  })
})

test("pauses: a definition that is paused before there is one may be misspelt", async () => {
  engine.answers["POST /v1/pauses"] = { body: { kind: "definition", name: "reprot", pausedAt: at, pausedBy: "ada" } }
  engine.answers["GET /v1/definitions"] = { body: { items: [{ id: "report" }], page: 0, pageSize: 200, total: 1 } }
  expect((await run(["pauses", "add", "definition", "reprot"])).out).toContain(
    "No definition has the name reprot so far: did you mean report?",
  )
})

test("B-01: disable and enable change nothing else", async () => {
  engine.answers["PATCH /v1/schedules/nightly"] = ({ body }) => ({ body: { ...schedule, ...(body as object) } })
  expect((await run(["schedules", "disable", "nightly"])).out).toMatch(/^State {5}disabled$/m)
  await run(["schedules", "enable", "nightly"])
  expect(engine.asked.map(({ body }) => body)).toEqual([{ enabled: false }, { enabled: true }])
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
  ["nothing to start", ["create", "x", "--cron", "@daily"], /^say what it starts: either --definition or --job-type$/],
  ["two things", ["create", "x", "--cron", "@daily", "--job-type", "y", "--definition", "z"], /^say what it starts/],
  ["no rule", ["create", "x", "--cron", "@daily", "--overlap", "wait"], /'wait' is invalid.*skip, queue, cancel/],
])("%s: exit code 2", async (_, argv, expected) => {
  const { code, err } = await run(["schedules", ...argv])
  expect(code).toBe(2)
  expect(err).toMatch(expected)
})
