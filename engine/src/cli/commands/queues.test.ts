// The priorities, their shares, their marks and what is paused, as an operator sees and changes them.
import { beforeEach, expect, test } from "vitest"
import { pauseRoutes } from "../../transports/routes/flow/pauses.ts"
import { queueRoutes } from "../../transports/routes/flow/queues.ts"
import { useTerminal } from "../test-support/use-terminal.ts"

const { engine, run, asked } = useTerminal()
beforeEach(() => {
  engine.answers = {
    "GET /queues/metrics": { body: metrics },
    "GET /queues/weights": { body: weights },
    "GET /v1/pauses": { body: { items: [] } },
  }
})

const gate = (depth: number, shut = false) => ({ depth, high_watermark: 10_000, low_watermark: 2_000, shut })
const metrics = {
  gates: { critical: gate(12), high: gate(8_500), normal: gate(10_000, true), total: gate(18_512) },
  dlq_depth: 3,
  dlq_depth_is_exact: true,
}
const weights = { critical: 60, high: 30, normal: 10, source: "config" }

test("queues: depth, watermarks, gate and share of each priority fit into 80 columns, with what to look at next", async () => {
  const { code, out } = await run(["queues"], { columns: 80 })
  expect(code).toBe(0)
  expect(`\n${out}`).toBe(`
PRIORITY   DEPTH  LEVEL                 SHUTS AT  OPENS AT  GATE  SHARE
critical      12  ····┊···············    10,000     2,000  open   60 %
high       8,500  █████████████████···    10,000     2,000  open   30 %
normal    10,000  ████████████████████    10,000     2,000  shut   10 %
total     18,512  ████████████████████    10,000     2,000  open

normal is full: new jobs are refused until it is below 2,000.
3 dead letters: see \`millrace dead-letters\`.
`)
})

test("queues: what is paused is seen, and why", async () => {
  const pausedAt = new Date(Date.now() - 185_000).toISOString()
  const pause = { kind: "queue", name: "high", reason: "deploying", pausedBy: "ada", pausedAt }
  engine.answers["GET /v1/pauses"] = { body: { items: [pause] } }
  const { out } = await run(["queues"], { columns: 80 })
  expect(out).toMatch(/^high .* paused +30 %$/m)
  expect(out).toMatch(/^queue {3}high {2}3 min ago {2}ada {2}deploying$/m)
})

test("queues: the age of the oldest is shown where the engine tells it", async () => {
  const gates = { ...metrics.gates, high: { ...gate(1), oldest_waiting_seconds: 95.4 } }
  engine.answers["GET /queues/metrics"] = { body: { ...metrics, gates, dlq_depth: 0 } }
  const { out } = await run(["queues"], { columns: 80 })
  expect(out).toMatch(/SHARE {2}OLDEST$/m)
  expect(out).toMatch(/^high .* 30 % {3}1 min$/m)
  expect(out).toContain("No dead letters.")
})

test("what queues --watch asks for every second is not in the access log", async () => {
  await run(["queues"])
  const quiet = [...queueRoutes, ...pauseRoutes].filter((route) => route.quiet).map((r) => `${r.method} ${r.path}`)
  expect(quiet.sort()).toEqual(engine.asked.map(({ route }) => route).sort())
})

test("queues --json: one document with all that was read", async () => {
  const { out } = await run(["queues", "--json"])
  expect(JSON.parse(out)).toEqual({ metrics, weights, pauses: [] })
})

test("queues pause and resume: the priority, and why", async () => {
  engine.answers["POST /queues/normal/pause"] = { body: { name: "normal", paused: true } }
  engine.answers["POST /queues/normal/resume"] = { body: { name: "normal", paused: false } }
  const paused = await run(["queues", "pause", "normal", "--reason", "deploying"])
  expect(paused.out).toMatch(/^Priority normal is paused/)
  expect((await run(["queues", "resume", "normal"])).out).toBe("Priority normal was not paused.\n")
  const pause = { kind: "queue", name: "normal", pausedBy: "ada", pausedAt: "" }
  engine.answers["GET /v1/pauses"] = { body: { items: [pause] } }
  expect((await run(["queues", "resume", "normal"])).out).toBe("Priority normal goes on.\n")
  const forbidden = { error: "forbidden", message: "it needs jobs:read", requestId: "r" }
  engine.answers["GET /v1/pauses"] = { status: 403, body: forbidden }
  expect((await run(["queues", "resume", "normal"])).out).toBe("Priority normal goes on.\n")
  expect(asked().filter(([route]) => !String(route).startsWith("GET"))).toEqual([
    ["POST /queues/normal/pause", { reason: "deploying" }],
    ...Array(3).fill(["POST /queues/normal/resume", {}]),
  ])
})

test("D-04, D-05, D-06: weights are shown with their source, set and reset", async () => {
  expect((await run(["weights"], { columns: 80 })).out).toMatch(/^critical {3}60 % {2}█{15}░{10}$/m)
  engine.answers["PATCH /queues/weights"] = { body: { critical: 100, high: 0, normal: 0, source: "database" } }
  const set = await run(["weights", "set", "100", "0", "0"], { columns: 80 })
  expect(set.out).toMatch(/^critical {2}100 % {2}█{25}$/m)
  expect(set.out).toContain("Set at run time")
  engine.answers["DELETE /queues/weights"] = { body: { reset: true, source: "config" } }
  expect((await run(["weights", "reset"], { columns: 80 })).out).toContain("From the configuration")
  expect(asked().slice(1)).toEqual([
    ["PATCH /queues/weights", { critical: 100, high: 0, normal: 0 }],
    ["DELETE /queues/weights"],
    ["GET /queues/weights"],
  ])
})

test("watermarks are shown with their source, set by priority and reset", async () => {
  const mark = { high: 10_000, low: 2_000, source: "config" }
  engine.answers["GET /queues/watermarks"] = { body: { normal: mark, total: { ...mark, source: "database" } } }
  engine.answers["PUT /queues/watermarks"] = { body: { normal: { ...mark, source: "database" } } }
  engine.answers["DELETE /queues/watermarks"] = { body: { reset: true, source: "config" } }
  expect((await run(["watermarks"], { columns: 80 })).out).toBe(
    "PRIORITY  SHUTS AT  OPENS AT  SET BY\nnormal      10,000     2,000  configuration\ntotal       10,000     2,000  run time\n",
  )
  await run(["watermarks", "set", "normal", "10000", "2000"])
  await run(["watermarks", "reset"])
  expect(asked().slice(1)).toEqual([
    ["PUT /queues/watermarks", { normal: { high: 10_000, low: 2_000 } }],
    ["DELETE /queues/watermarks"],
    ["GET /queues/watermarks"],
  ])
})

test("pauses: listed, added and removed, however the kind is spelt", async () => {
  engine.answers["POST /v1/pauses"] = ({ body }) => ({ body: { ...(body as object), pausedBy: "ada", pausedAt: "" } })
  engine.answers["DELETE /v1/pauses/jobType/send%2Femail"] = { status: 204 }
  engine.answers["GET /v1/job-types"] = { body: { items: [{ name: "send_email" }] } }
  expect((await run(["pauses"])).out).toBe("Nothing is paused.\n")
  expect((await run(["pauses", "add", "job-type", "send_email"])).out).toBe(
    "Paused jobType send_email, until `millrace pauses remove jobType send_email`.\n",
  )
  await run(["pauses", "add", "definition", "onboarding", "--reason", "migrating"])
  expect((await run(["pauses", "remove", "jobtype", "send/email"])).out).toBe("jobType send/email was not paused.\n")
  const pause = { kind: "jobType", name: "send/email", pausedBy: "ada", pausedAt: "" }
  engine.answers["GET /v1/pauses"] = { body: { items: [pause] } }
  expect((await run(["pauses", "remove", "jobtype", "send/email"])).out).toBe(
    "Resumed jobType send/email; `millrace pauses add jobType send/email` pauses it again.\n",
  )
  const forbidden = { error: "forbidden", message: "it needs jobs:read", requestId: "r" }
  engine.answers["GET /v1/pauses"] = { status: 403, body: forbidden }
  expect((await run(["pauses", "remove", "jobtype", "send/email"])).out).toMatch(/^Resumed jobType send\/email/)
  expect(asked().filter(([route]) => !String(route).startsWith("GET"))).toEqual([
    ["POST /v1/pauses", { kind: "jobType", name: "send_email" }],
    ["POST /v1/pauses", { kind: "definition", name: "onboarding", reason: "migrating" }],
    ...Array(3).fill(["DELETE /v1/pauses/jobType/send%2Femail"]),
  ])
})

test.each<[string, string[], RegExp]>([
  ["a share too few", ["weights", "set", "60", "40"], /missing required argument 'normal'/],
  ["no number", ["weights", "set", "60", "x", "10"], /'x' is invalid.*whole number/],
  ["no such priority", ["watermarks", "set", "low", "10", "2"], /'low' is invalid.*critical, high, normal, total/],
  ["no such priority to pause", ["queues", "pause", "low"], /'low' is invalid.*critical, high, normal/],
  ["no such kind", ["pauses", "add", "lane", "high"], /^lane cannot be paused; the kinds are jobType, definition/],
  [
    "no such command",
    ["queues", "puase", "high"],
    /^millrace queues has no command puase; there are list, pause, resume/,
  ],
  ["no such option", ["queues", "--wathc"], /unknown option '--wathc'\n\(Did you mean --watch\?\)/],
])("%s: exit code 2, and nothing is sent", async (_, argv, expected) => {
  const { code, err } = await run(argv)
  expect(code).toBe(2)
  expect(err).toMatch(expected)
  expect(engine.asked).toEqual([])
})

test.each(["queues", "jobs", "dead-letters", "schedules", "weights", "watermarks", "downstreams", "pauses", "work"])(
  "%s --help has examples, fits into 80 columns and asks nobody",
  async (group) => {
    const { code, out } = await run([group, "--help"])
    expect(code).toBe(0)
    expect(out).toContain(`Examples:\n  millrace ${group}`)
    expect(out.split("\n").filter((line) => line.length > 80)).toEqual([])
    expect(engine.asked).toEqual([])
  },
)
