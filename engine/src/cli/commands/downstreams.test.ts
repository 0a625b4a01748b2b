// Downstreams at the terminal: what is sent, and what is shown.
import { describe, expect, test } from "vitest"
import { useTerminal } from "../test-support/use-terminal.ts"

const { engine, run, asked } = useTerminal()

const at = "2026-11-15T09:31:00.000Z"

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

describe("set", () => {
  const changed = async (...options: string[]) => {
    engine.answers["GET /v1/downstreams"] = { body: { items: [stripe, smtp] } }
    engine.answers["PUT /v1/downstreams/stripe"] = ({ body }) => ({ body: { ...stripe, ...(body as object) } })
    await run(["downstreams", "set", "stripe", ...options])
    return engine.asked.at(-1)
  }

  test.each<[string[], object]>([
    [["--per-second", "20"], { perSecond: 20, concurrency: 10, adaptive: true }],
    [["--concurrency", "3"], { perSecond: 50, concurrency: 3, adaptive: true }],
    [["--no-adaptive"], { perSecond: 50, concurrency: 10 }],
    [["--no-concurrency", "--per-second", "20"], { perSecond: 20, adaptive: true }],
    [["--no-per-second"], { concurrency: 10, adaptive: true }],
    [["--no-per-second", "--no-concurrency", "--no-adaptive"], {}],
  ])("%j: what is left out stays as it is", async (options, body) => {
    expect(await changed(...options)).toMatchObject({ route: "PUT /v1/downstreams/stripe", body })
    expect(engine.asked.at(-1)?.body).toEqual(body)
  })

  test("says what is in force, the limits that were left out among them", async () => {
    const unlimited = {
      name: "new",
      perSecond: 5,
      adaptive: false,
      share: 1,
      inFlight: 0,
      waiting: 0,
      waitingIsExact: true,
    }
    engine.answers["GET /v1/downstreams"] = { body: { items: [stripe] } }
    engine.answers["PUT /v1/downstreams/new"] = { body: unlimited }
    const { out } = await run(["downstreams", "set", "new", "--per-second", "5"])
    expect(engine.asked.at(-1)?.body).toEqual({ perSecond: 5 })
    expect(`\n${out}`).toBe(`
Downstream  new
Per second  5
In flight   0, no limit
Waiting     0
Adaptive    no
State       ok
No job has named new so far.
`)
  })

  test("a name that nothing has had so far: says so, and which one may be meant", async () => {
    engine.answers["GET /v1/downstreams"] = { body: { items: [stripe, smtp] } }
    engine.answers["PUT /v1/downstreams/stirpe"] = { body: { ...smtp, name: "stirpe" } }
    engine.answers["POST /v1/pauses"] = { body: {} }
    const hint = "No job has named stirpe so far: did you mean stripe?\n"
    const set = ["downstreams", "set", "stirpe", "--per-second", "5"]
    expect((await run(set)).out).toContain(hint)
    expect((await run(["downstreams", "pause", "stirpe"])).out).toContain(hint)
    expect(JSON.parse((await run([...set, "--json"])).out)).toMatchObject({ name: "stirpe" })
  })

  test("asks for nothing where every limit is named: a key that may only change them is enough", async () => {
    engine.answers["PUT /v1/downstreams/stripe"] = { body: stripe }
    await run(["downstreams", "set", "stripe", "--per-second", "50", "--concurrency", "10", "--adaptive"])
    expect(asked().map(([route]) => route)).toEqual(["PUT /v1/downstreams/stripe"])
  })
})
