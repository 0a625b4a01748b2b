// `millrace instances` on a real engine over real HTTP: by id, by business key and by the key of a run.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, expect, test } from "vitest"
import { startChains } from "../../../operations/instances/start-chains.ts"
import { advanceClock } from "../../../test-support/database-clock.ts"
import { end, linear, service, step, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { noTerm, sweepAll } from "../../../test-support/loops.ts"
import { createTestServer, type TestServer } from "../../../transports/rest/test-support/test-server.ts"
import { runCommand, type Terminal } from "../../test-support/run-command.ts"

let server: TestServer
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "millrace-cli-"))
  server = await createTestServer()
  await server.engine.upload(linear("order"))
  await server.engine.upload(linear("parcel"))
  await server.engine.upload(workflow("signing", [step("WAIT", "signed", { nextStep: "end" }), end()]))
})
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true })
  await server.close()
})

const run = (argv: readonly string[], terminal: Terminal = {}) =>
  runCommand(["instances", ...argv], { env: { WE_URL: server.url, NO_COLOR: "1" }, ...terminal })
const json = async (...argv: string[]) => {
  const { code, out, err } = await run([...argv, "--json"])
  expect({ code, err }).toEqual({ code: 0, err: "" })
  return JSON.parse(out)
}
const worker = () => drive(server.engine.kernel)

test("start, show and cancel: an instance is found by its business key as by its id", async () => {
  const started = await json("start", "order", "--variables", '{"amount":42}', "--business-key", "by-key")
  expect(started).toMatchObject({ definitionId: "order", status: "ACTIVE", variables: { amount: 42 } })
  const { out } = await run(["show", "by-key"], { columns: 80 })
  expect(out).toMatch(new RegExp(`^Instance {6}${started.id}$`, "m"))
  expect(out).toMatch(/^Business key {2}by-key$/m)
  expect(out).toMatch(/^Waits {9}a: Waits in the queue/m)
  expect(out).toMatch(/^a {5}WAITING {6}1 /m)
  for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80)
  expect(await json("show", started.id)).toMatchObject({ id: started.id, steps: [{ stepId: "a" }] })
  expect((await run(["cancel", "by-key", "--reason", "left"])).out).toBe(`Instance ${started.id} is CANCELLED.\n`)
  // It has ended, and is still the one that has the key.
  expect(await json("show", "by-key")).toMatchObject({ id: started.id, status: "CANCELLED", failureReason: "left" })
})

test("a list of a definition that there is not says so, and which one may be meant", async () => {
  const none = "There are no such instances.\n"
  expect((await run(["--definition", "ordre"])).out).toBe(`${none}There is no definition ordre: did you mean order?\n`)
  expect((await run(["--definition", "zzz"])).out).toBe(`${none}There is no definition zzz.\n`)
  expect((await run(["--definition", "parcel"])).out).toBe(none)
  expect(await json("--definition", "ordre")).toMatchObject({ items: [] })
})

test("of several with one business key the live one is meant, and of several definitions one must be named", async () => {
  const first = await json("start", "order", "--business-key", "twice")
  await run(["cancel", first.id])
  const second = await json("start", "order", "--business-key", "twice")
  expect(await json("show", "twice")).toMatchObject({ id: second.id })
  const other = await json("start", "parcel", "--business-key", "twice")
  expect(await run(["cancel", "twice"])).toMatchObject({
    code: 2,
    err: "instances of parcel and order have the business key twice: name one with --definition",
  })
  expect(await json("cancel", "twice", "--definition", "parcel")).toMatchObject({ id: other.id, status: "CANCELLED" })
})

test("a chain has one business key: what fits the command is meant, and show of its first tells of the next", async () => {
  const chained = { autoStartNextWorkflow: true, nextWorkflowId: "second" }
  const waits = workflow("second", [
    step("WAIT", "go", { nextStep: "more" }),
    step("WAIT", "more", { nextStep: "end" }),
    end(),
  ])
  await server.engine.upload(workflow("first", [service("first", "end"), end()], chained))
  const { id: first } = await json("start", "first", "--business-key", "chained")
  await worker().complete(await worker().claimOne("first"))
  await startChains(server.engine.kernel, noTerm)
  const stuck = await run(["show", first], { columns: 100 })
  expect(stuck.out).toMatch(/^Waits .*there is no definition second/m)
  await server.engine.upload(waits)
  await advanceClock(server.engine.kernel, 60_000)
  await startChains(server.engine.kernel, noTerm)
  const next = await json("show", "chained")
  expect(next).toMatchObject({ definitionId: "second", parentId: first })
  const shown = await run(["show", "chained", "--definition", "first"], { columns: 100 })
  expect(shown.out).toMatch(new RegExp(`^Next +${next.id} of second$`, "m"))
  expect(shown.out).not.toMatch(/^Waits/m)
  // A third that lives and has the key too does not wait for this signal.
  const other = await json("start", "signing", "--business-key", "chained")
  expect((await run(["signal", "chained", "go"])).out).toBe(`Sent go to ${next.id}.\n`)
  expect(await run(["signal", "chained"])).toMatchObject({
    code: 2,
    err: expect.stringContaining("name one with --definition"),
  })
  await run(["cancel", other.id])
  expect((await run(["signal", "chained"])).out).toBe(`Sent more to ${next.id}.\n`)
  // All have ended: what only looks takes the newest, and says so; what changes one asks.
  const ended = await run(["show", "chained", "--json"])
  expect(JSON.parse(ended.out)).toMatchObject({ id: other.id, status: "CANCELLED" })
  expect(ended.err).toBe(
    "Ended instances of signing and second and first have the key chained; this is the newest, of signing. --definition names another.\n",
  )
  expect(await run(["history", "chained"])).toMatchObject({ code: 0, err: ended.err })
  expect((await run(["show", "chained", "--definition", "first"])).err).toBe("")
  for (const change of ["cancel", "retry", "restart"])
    expect(await run([change, "chained"])).toMatchObject({
      code: 2,
      err: expect.stringContaining("name one with --definition"),
    })
})

test("start: a misspelt definition is answered with the one that is meant", async () => {
  expect(await run(["start", "ordre"])).toMatchObject({
    code: 1,
    err: "there is no definition ordre (did you mean order?)",
  })
  expect(await run(["start", "ordre", "--key", "k-1"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("mean order?"),
  })
  expect(await run(["start", "something-else"])).toMatchObject({ err: "there is no definition something-else" })
  expect(await run(["start", "order", "--version", "9"])).toMatchObject({
    err: "there is no definition order version 9",
  })
})

test("with --key an instance is started once, and found by that key of its definition", async () => {
  const first = await json("start", "order", "--key", "cart-9", "--variables", '{"n":1,"m":2}')
  expect(await json("start", "order", "--key", "cart-9", "--variables", '{"m":2,"n":1}')).toMatchObject({
    id: first.id,
  })
  expect(await json("show", "cart-9", "--definition", "order")).toMatchObject({
    id: first.id,
    variables: { n: 1, m: 2 },
  })
  // A key may look like an id.
  const odd = await json("start", "order", "--key", first.id)
  expect(await json("show", first.id, "--definition", "order")).toMatchObject({ id: odd.id })
  expect(await run(["show", "cart-8"])).toMatchObject({
    code: 1,
    err: "there is no instance with the key cart-8",
  })
  expect(await run(["start", "order", "--key", "k", "--priority", "high"])).toMatchObject({ code: 2 })
})

test("the key of a run needs no definition beside it where one run alone has it; a business key comes first", async () => {
  const { id } = await json("start", "signing", "--key", "cart-11")
  expect(await json("show", "cart-11")).toMatchObject({ id })
  expect((await run(["signal", "cart-11"])).code).toBe(0)
  expect((await run(["watch", "cart-11"])).code).toBe(0)
  await json("start", "order", "--key", "cart-11")
  expect(await run(["show", "cart-11"])).toMatchObject({
    code: 2,
    err: "runs of order and signing have the key cart-11: name one with --definition",
  })
  const named = await json("start", "parcel", "--business-key", "cart-11")
  expect(await json("show", "cart-11")).toMatchObject({ id: named.id })
})

test("a repeat of --key says that nothing was started, and one with other input is refused", async () => {
  const start = (input: string) => run(["start", "order", "--key", "cart-10", "--variables", input])
  const first = await start('{"n":1}')
  const id = first.out.match(/^Started (\w+) of order version 1: it is ACTIVE\.$/m)?.[1]
  expect(first.code).toBe(0)
  expect(await start('{"n":1}')).toMatchObject({
    code: 0,
    out: expect.stringContaining(`Already there: ${id} of order version 1: it is ACTIVE; nothing was started.`),
  })
  // What its steps have written since is not what it was started with.
  const job = await worker().claimOne("a")
  await worker().complete(job, { n: 5 })
  expect(await start('{"n":1}')).toMatchObject({ code: 0, out: expect.stringContaining("Already there") })
  expect(await start('{"n":2}')).toMatchObject({
    code: 1,
    out: "",
    err: expect.stringMatching(
      new RegExp(`^the key cart-10 is taken by instance ${id}, started at .+ with other input; nothing was started$`),
    ),
  })
})

test("list: newest first, filtered, in 80 columns, and as one document", async () => {
  const { id } = await json("start", "parcel", "--business-key", "listed")
  const { out } = await run(["--definition", "parcel", "--status", "active"], { columns: 80 })
  expect(out.split("\n")[0]).toMatch(/^ID +DEFINITION +STATUS +KEY +STARTED/)
  expect(out.split("\n")[1]).toMatch(new RegExp(`^${id} {2}parcel {6}ACTIVE {2}listed `))
  for (const line of out.split("\n")) expect(line.length).toBeLessThanOrEqual(80)
  expect((await json("list", "--key", "listed")).items).toMatchObject([{ id }])
  expect((await json("--key", "listed", "--version", "2")).items).toEqual([])
  expect((await run(["--since", "1h", "--limit", "1"])).out).toMatch(/^… and \d+ more: raise --limit/m)
  expect((await run(["--before", "1h"])).out).toBe("There are no such instances.\n")
})

test("list --key finds the key of a run and a business key, the newest first; --business-key finds that alone", async () => {
  const first = await json("start", "order", "--key", "either")
  const second = await json("start", "parcel", "--key", "either")
  const named = await json("start", "order", "--business-key", "either")
  const longer = await json("start", "order", "--key", "either-2")
  const found = async (...argv: string[]) => (await json("list", ...argv)).items.map(({ id }: { id: string }) => id)
  expect(await found("--key", "either")).toEqual([named.id, second.id, first.id])
  expect(await found("--key", "either", "--limit", "1")).toEqual([named.id])
  expect(await found("--key", "either", "--definition", "parcel")).toEqual([second.id])
  expect(await found("--key", "either", "--status", "completed")).toEqual([])
  expect(await found("--key", "either", "--before", "1h")).toEqual([])
  expect(await found("--key", "either", "--since", "1h", "--version", "1")).toHaveLength(3)
  expect(await found("--business-key", "either")).toEqual([named.id])
  expect(await run(["list", "--key", "either", "--failure", "f"])).toMatchObject({ code: 2 })
  expect(await found("--key-prefix", "eith")).toEqual([longer.id, named.id, second.id, first.id])
  expect(await found("--key-prefix", "eith", "--definition", "order", "--limit", "2")).toEqual([longer.id, named.id])
  expect(await run(["list", "--key-prefix", "e", "--key", "either"])).toMatchObject({ code: 2 })
})

test("signal: the only one it waits for need not be named; its variables may come from a file or the input", async () => {
  const [a, b] = [await json("start", "signing"), await json("start", "signing")]
  const file = join(folder, "approval.json")
  writeFileSync(file, '{"by":"ada"}')
  expect((await run(["signal", a.id, "--variables", `@${file}`])).out).toBe(`Sent signed to ${a.id}.\n`)
  await run(["signal", b.id, "signed", "--variables", "-"], { input: '{"by":"bo"}' })
  expect(await json("show", a.id)).toMatchObject({ status: "COMPLETED", variables: { by: "ada" } })
  expect(await json("show", b.id)).toMatchObject({ status: "COMPLETED", variables: { by: "bo" } })
  expect(await run(["signal", a.id])).toMatchObject({ code: 1, err: expect.stringContaining("waits for no signal") })
})

test("signal: one that is kept because nothing waits for it yet is said to be", async () => {
  const steps = [service("pack", "packed"), step("WAIT", "packed", { nextStep: "end", keepEarly: true }), end()]
  await server.engine.upload(workflow("packing", steps))
  const { id } = await json("start", "packing")
  expect((await run(["signal", id, "packed"])).out).toBe(
    `Sent packed to ${id}.\nIt does not wait for that now: the signal is kept in case it does.\n`,
  )
})

test("start: a business key that is taken names its instance", async () => {
  const { id } = await json("start", "signing", "--business-key", "taken-1")
  expect((await run(["start", "signing", "--business-key", "taken-1"])).err).toContain(`business key taken-1: ${id}`)
})

test("history and retry: every try with its error, then another one with other variables", async () => {
  await server.engine.upload(workflow("paying", [service("pay", "end", { retryCount: 3 }), end()]))
  const { id } = await json("start", "paying", "--business-key", "retried")
  await worker().fail(await worker().claimOne("pay"), "away", true, 0)
  await worker().fail(await worker().claimOne("pay"), "card declined", false)
  const { out } = await run(["history", "retried"], { columns: 80 })
  expect(out).toMatch(/^pay {6}FAILED .* card declined/m)
  expect(out).toMatch(/^└ try 1 {2}failed .* away/m)
  expect((await run(["history", id, "--audit"], { columns: 80 })).out).toMatch(/INSTANCE_STARTED/)
  const again = await json("retry", "retried", "--variables", '{"card":"other"}')
  expect(again).toMatchObject({ id, status: "ACTIVE", variables: { card: "other" } })
  expect((await json("history", id)).items).toHaveLength(2)
})

test("a try whose worker was lost is told by show, watch and history alike, apart from those that failed", async () => {
  await server.engine.upload(workflow("losing", [service("ship", "end", { retryCount: 3 }), end()]))
  const { id } = await json("start", "losing")
  await drive(server.engine.kernel, "w-lost").claimOne("ship")
  await advanceClock(server.engine.kernel, 60_000)
  await sweepAll(server.engine.kernel)
  await worker().fail(await worker().claimOne("ship"), "away", true, 0)
  await worker().complete(await worker().claimOne("ship"))
  const { steps } = await json("show", id)
  expect(steps[0].attempts).toMatchObject([
    { attempt: 1, outcome: "lost", workerId: "w-lost", startedAt: expect.any(String) },
    { attempt: 2, outcome: "failed", error: "away" },
  ])
  // Its bar begins with the try that was lost, a minute before the others, and so does AFTER.
  expect((await run(["show", id], { columns: 120 })).out).toMatch(/^ship +COMPLETED +3 \(1 lost\) +[\d,.]+ m?s .*░/m)
  const { out } = await run(["history", id], { columns: 100 })
  expect(out).toMatch(/^└ try 1 +lost .* heartbeat timeout/m)
  expect(out).toMatch(/^└ try 2 +failed .* away/m)
  expect((await run(["watch", id])).out).toMatch(/ship: try 1 lost: heartbeat timeout/)
})

test("restart: a new instance takes the place of one that has ended, from a step and with other variables", async () => {
  await server.engine.upload(workflow("again", [service("one", "two"), service("two", "end"), end()]))
  const { id } = await json("start", "again", "--business-key", "restarted")
  expect(await run(["restart", "restarted"])).toMatchObject({
    code: 1,
    err: expect.stringContaining("cancel it first"),
  })
  await run(["cancel", "restarted"])
  const next = await json("restart", "restarted", "--from", "two", "--variables", '{"n":2}')
  expect(next).toMatchObject({ parentId: id, restartOf: id, currentStepIds: ["two"], variables: { n: 2 } })
  await run(["cancel", next.id])
  const { out } = await run(["restart", id])
  const last = out.match(
    new RegExp(`^Instance (\\S+) of version 1 takes the place of ${id} and is ACTIVE\\.$`, "m"),
  )?.[1]
  // Each knows the other; of several that took its place the last one is named.
  expect((await run(["show", id])).out).toMatch(new RegExp(`^Restarted as +${last}$`, "m"))
  const shown = (await run(["show", next.id])).out
  expect(shown).toMatch(new RegExp(`^Restart of +${id}$`, "m"))
  expect(shown).not.toMatch(/^Parent/m)
})

test("restart: it says that a newer version takes over, and `--version` keeps the old one", async () => {
  await server.engine.upload(workflow("grown", [service("one", "end"), end()]))
  const { id } = await json("start", "grown")
  await run(["cancel", id])
  await server.engine.upload(workflow("grown", [service("one", "two"), service("two", "end"), end()]))
  expect((await run(["restart", id])).out).toMatch(
    new RegExp(`^Instance \\S+ of version 2 \\(it was 1\\) takes the place of ${id} and is ACTIVE\\.$`, "m"),
  )
  expect(await json("restart", id, "--version", "1")).toMatchObject({ definitionVersion: 1, restartOf: id })
})

test.each<[string, string[], RegExp]>([
  [
    "no JSON",
    ["start", "order", "--variables", "{'a':1}"],
    /^--variables is not JSON: line 1, column 2: expected a name in double quotes, found '\n {2}\{'a':1\}\n {3}\^$/,
  ],
  [
    "no such file",
    ["start", "order", "--variables", "@none.json"],
    /^none\.json cannot be read: there is no such file$/,
  ],
  ["no such status", ["--status", "dead"], /It must be ACTIVE, WAITING, COMPLETED, FAILED, CANCELLED/],
  ["no key", ["show", ""], /^"" is not an id or a key$/],
  ["no instance", ["show"], /missing required argument 'id\|key'\nExample: millrace instances show order-17\n$/],
])("%s: exit code 2, and nothing is sent", async (_, argv, expected) => {
  const { code, err } = await run(argv)
  expect(code).toBe(2)
  expect(err).toMatch(expected)
})
