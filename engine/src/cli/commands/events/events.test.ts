// Events at the terminal: sinks, what they did not take, and never more than was said.
import { expect, test } from "vitest"
import { useTerminal } from "../../test-support/use-terminal.ts"

const { engine, run, asked } = useTerminal(["events"])

const ID = "01JN8Z3V5E8Q2R7W4Y6T9A1B3C-3f9a0c1d"
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
const sink = (more: object = {}) => ({
  name: "billing",
  kind: "kafka",
  place: 120_034,
  depth: 1_200,
  lagSeconds: 65,
  parked: 1,
  perSecond: 310.5,
  leader: "01JN8YZZ",
  failures: 0,
  createdAt: ago(1e7),
  ...more,
})
const parked = (more: object = {}) => ({
  id: ID,
  sink: "billing",
  type: "payment.initiated",
  key: "p-1",
  reason: "the topic billing is not there",
  attempts: 1,
  publishedAt: ago(190_000),
  parkedAt: ago(185_000),
  isBehind: false,
  ...more,
})

test("F-24: the sinks: what waits, since when, how fast, and which of them stands still", async () => {
  const items = [
    sink(),
    sink({ name: "mail", leader: undefined }),
    sink({ name: "web", failures: 3, lastError: "no answer", retryAt: ago(-90_000) }),
  ]
  engine.answers["GET /v1/sinks"] = { body: { items } }
  const { out } = await run([], { columns: 140 })
  expect(out).toMatch(/^SINK +KIND +WAITING +OLDEST +PER SECOND +PARKED +LEADER +STATE$/m)
  expect(out).toMatch(/^billing +kafka +1,200 +1 min +310.5 +1 +01JN8YZZ +ok$/m)
  expect(out).toMatch(/^mail .* none +no process sends to it$/m)
  expect(out).toMatch(/^web .* takes nothing, tried again in 1 min: no answer$/m)
  expect(JSON.parse((await run(["--json"])).out)).toMatchObject({ items: [{ name: "billing" }, {}, {}] })
})

test("no sink is no error, and an unknown word is", async () => {
  engine.answers["GET /v1/sinks"] = { body: { items: [] } }
  expect((await run([])).out).toMatch(/^There are no sinks/)
  expect(await run(["sinks"])).toMatchObject({ code: 2, err: expect.stringContaining("has no command sinks") })
  expect((await run(["--help"])).out).toContain("millrace events replay billing --type payment.initiated")
})

test("F54: parked ones with their reasons; what a reason says to the terminal is only text", async () => {
  const items = [parked(), parked({ isBehind: true, reason: "\u001b]0;owned\u0007" })]
  engine.answers["GET /v1/events/parked"] = { body: { items, nextCursor: "x" } }
  const { out } = await run(["parked", "--sink", "billing", "--limit", "2"], { columns: 160 })
  expect(asked()).toEqual([["GET /v1/events/parked?sink=billing&pageSize=2"]])
  expect(out).toMatch(
    new RegExp(`^${ID} +billing +payment.initiated +p-1 +3 min ago +1 +waits for you +the topic`, "m"),
  )
  expect(out).toContain("behind another")
  expect(out).toContain("… and more")
  expect(out).not.toContain("\u001b")
})

test("F54: one is replayed at once, and discarded after a question", async () => {
  engine.answers[`POST /v1/events/parked/billing/${ID}/replay`] = { status: 202, body: { sink: "billing", id: ID } }
  expect(await run(["replay", "billing", ID])).toEqual({ code: 0, out: `Replayed ${ID}.\n`, err: "" })
  engine.answers[`DELETE /v1/events/parked/billing/${ID}`] = { status: 204 }
  expect((await run(["discard", "billing", ID], { columns: 80, input: "n\n" })).out).toBe("Nothing was changed.\n")
  expect(await run(["discard", "billing", ID])).toMatchObject({ code: 2, err: expect.stringContaining("--yes") })
  expect(asked()).toHaveLength(1)
  expect((await run(["discard", "billing", ID, "--yes"])).out).toBe(`Discarded ${ID}.\n`)
})

test("F54: many are counted first, and what is left is said", async () => {
  const filter = { sink: "billing", type: "t" }
  engine.answers["POST /v1/events/parked/replay"] = ({ body }) => {
    const { dryRun = false } = body as { dryRun?: boolean }
    return { status: 202, body: { dryRun, matched: 12_000, changed: dryRun ? 0 : 10_000 } }
  }
  const argv = ["replay", "billing", "--type", "t"]
  expect((await run([...argv, "--dry-run"])).out).toBe("This would replay 12,000 events.\n")
  expect((await run(argv, { columns: 80, input: "\n" })).out).toBe("Nothing was changed.\n")
  expect((await run([...argv, "--yes"])).out).toBe("Replayed 10,000 events. There are more: call it again.\n")
  expect(asked().at(-1)).toEqual(["POST /v1/events/parked/replay", { filter }])
})

test.each([
  ["replay", "billing"],
  ["discard", "billing", ID, "--all"],
  ["replay", "billing", ID, "--type", "t"],
])("%s %s %s: which ones has to be said, in one way", async (...argv) => {
  expect((await run(argv)).code).toBe(2)
  expect(asked()).toEqual([])
})

test("nothing to discard is said, and nothing is asked", async () => {
  engine.answers["POST /v1/events/parked/discard"] = { status: 202, body: { dryRun: true, matched: 0, changed: 0 } }
  expect((await run(["discard", "billing", "--all"])).out).toBe("Nothing matches: there is nothing to discard.\n")
})

test("publish: type, payload, key and headers as they were given", async () => {
  engine.answers["POST /v1/events"] = { status: 202, body: { id: ID } }
  const argv = ["publish", "t", '{"n":1}', "--key", "k", "--header", "a=b=c", "--header", "d="]
  expect((await run(argv)).out).toBe(`Published ${ID}.\n`)
  expect(asked()).toEqual([
    ["POST /v1/events", { type: "t", payload: { n: 1 }, key: "k", headers: { a: "b=c", d: "" } }],
  ])
  expect(await run(["publish", "t", "{"])).toMatchObject({ code: 2, err: expect.stringContaining("is not JSON") })
  expect((await run(["publish", "t", "{}", "--header", "nothing"])).code).toBe(2)
})

test("forget: never without a reason or a yes", async () => {
  engine.answers["POST /v1/sinks/billing/forget"] = { status: 204 }
  expect((await run(["forget", "billing", "--yes"])).code).toBe(2)
  expect((await run(["forget", "billing", "--reason", "x"])).code).toBe(2)
  expect(asked()).toEqual([])
  const forced = await run(["forget", "billing", "--reason", "x", "--force", "--yes"])
  expect([forced.out, asked()]).toEqual([
    "Forgot billing.\n",
    [["POST /v1/sinks/billing/forget", { reason: "x", force: true }]],
  ])
})
