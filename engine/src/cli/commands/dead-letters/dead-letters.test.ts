// Dead letters at the terminal: what died of what, and sending back or throwing away, never more than was said.
import { expect, test } from "vitest"
import { runCommand } from "../../test-support/run-command.ts"
import { useTerminal } from "../../test-support/use-terminal.ts"

const { engine, run, asked } = useTerminal(["dead-letters"])

const ID = "01JN8Z3V5E8Q2R7W4Y6T9A1B3C"
const ago = (ms: number) => new Date(Date.now() - ms).toISOString()
const letter = (more: object = {}) => ({
  id: ID,
  source: "job",
  job_id: "01JN8Z3V5E8Q2R7W4Y6T9A1B3D",
  type: "send_email",
  priority: "normal",
  reason: "exhausted",
  error: "connect ECONNREFUSED 10.0.0.7:25",
  fingerprint: "9f2c41d7",
  attempts: 6,
  retry_count: 5,
  dead_at: ago(185_000),
  ...more,
})

test("list: at 80 columns the id is whole and the error is cut; at 120 there is more of everything", async () => {
  engine.answers["GET /queues/dlq"] = { body: { items: [letter()], next_cursor: "x" } }
  const narrow = await run([], { columns: 80 })
  expect(`\n${narrow.out}`).toBe(`
ID                          TYPE             DIED  ERROR
${ID}  send_email  3 min ago  connect ECONNREFUSED 10.0.0.…
… and more: raise --limit, or narrow it with --type or --error
`)
  const wide = await run(["--type", "send_email", "--error", "9f2c41d7", "--limit", "1"], { columns: 120 })
  expect(wide.out).toContain("normal    exhausted      6  connect ECONNREFUSED 10.0.0.7:25\n")
  expect(asked()[1]).toEqual(["GET /queues/dlq?type=send_email&error=9f2c41d7&limit=1"])
})

test("dlq, the name of the wire, is short for dead-letters", async () => {
  engine.answers["GET /queues/dlq"] = { body: { items: [] } }
  const { out } = await runCommand(["dlq"], { env: { WE_URL: engine.url } })
  expect(out).toBe("There are no dead letters.\n")
  const help = await runCommand(["dlq", "--help"])
  expect(help.out).toContain("Examples:\n  millrace dead-letters")
})

test("list --since 2h: a duration is so long ago", async () => {
  engine.answers["GET /queues/dlq"] = { body: { items: [] } }
  expect((await run(["--since", "2h"])).out).toBe("There are no dead letters.\n")
  const since = new URL(`http://x${engine.asked[0]?.route.slice(4)}`).searchParams.get("since") as string
  expect(Date.now() - Date.parse(since)).toBeGreaterThanOrEqual(7_200_000)
  expect(await run(["--since", "yesterday"])).toMatchObject({ code: 2, err: expect.stringContaining("must be a time") })
})

test("groups: how many of each, and how to send them back", async () => {
  const group = { fingerprint: "9f2c41d7", error: "refused", count: 10_000, count_is_exact: false }
  const items = [{ ...group, first_at: ago(7_300_000), last_at: ago(5_000) }]
  engine.answers["GET /queues/dlq/groups"] = { body: { items, is_complete: false } }
  const { out } = await run(["groups"], { columns: 80 })
  expect(out).toMatch(/^over 10,000 {2}9f2c41d7 {5}2 h ago {2}5 s ago {2}refused$/m)
  expect(out).toContain("older ones may have died of something else")
})

test("show: every attempt; what an error says to the terminal is only text", async () => {
  const history = [
    { attempt: 1, outcome: "failed", error: "\u001b]0;owned\u0007", worker_id: "w1", ended_at: ago(9_000) },
  ]
  engine.answers[`GET /queues/dlq/${ID}`] = { body: letter({ history, payload: { to: "ada" } }) }
  const { out } = await run(["show", ID], { columns: 100 })
  expect(out).toMatch(/^Payload +\{"to":"ada"\}$/m)
  expect(out).toMatch(/^ +1 {2}.* UTC {2}failed {3}w1 {6}\\u001b\]0;owned\\u0007$/m)
  expect(out).not.toContain("\u001b")
})

test("D-07: replay of one says what it became", async () => {
  engine.answers[`POST /queues/dlq/${ID}/replay`] = { status: 202, body: { replayed: true, job_id: "01NEW" } }
  expect(await run(["replay", ID])).toEqual({ code: 0, out: `Replayed ${ID} as job 01NEW.\n`, err: "" })
})

const bulk = (done: number, finished: boolean) => ({ id: "01BULK", matched: 40, done, failed: 0, finished })
function manyToReplay(): void {
  const progress = [bulk(10, false), bulk(40, true)]
  engine.answers["POST /queues/dlq/replay"] = ({ body }) =>
    (body as { dryRun: boolean }).dryRun
      ? { status: 202, body: { ...bulk(0, true), examples: [letter()] } }
      : { status: 202, body: bulk(0, false) }
  engine.answers["GET /v1/bulk/01BULK"] = () => ({ body: progress.shift() })
}
const REPLAY = ["replay", "--type", "send_email"]
const posted = () => asked().filter(([, body]) => body !== undefined)
const filter = { type: "send_email" }

test("replay of many: what it would be, a question, and a bar that ends where it should", async () => {
  manyToReplay()
  const { code, out, err } = await run(REPLAY, { columns: 80, input: "y\n" })
  expect(code).toBe(0)
  expect(out).toMatch(/^This would replay 40 dead letters:\n\nID /)
  expect(out).toMatch(/… and 39 more\n\nReplayed 40 dead letters\.\n$/)
  expect(err).toContain("Replay 40 dead letters? [y/N]")
  expect(err).toContain("Replaying  ██████████░░░░░░░░░░░░░░░░░░░░░░░░░░░░░░   25 %  10 of 40")
  expect(err).toContain("100 %  40 of 40\n")
  expect(posted().map(([, body]) => body)).toEqual([
    { filter, dryRun: true },
    { filter, dryRun: false },
  ])
})

test.each(["n\n", "\n", "", "yess\n"])("an answer that is no clear yes (%j) changes nothing", async (input) => {
  manyToReplay()
  const { code, out } = await run(REPLAY, { columns: 80, input })
  expect(code).toBe(0)
  expect(out).toContain("Nothing was changed.")
  expect(posted()).toHaveLength(1)
})

test("where nobody can be asked it takes --yes, and no bar is drawn", async () => {
  manyToReplay()
  const refused = await run(REPLAY)
  expect(refused).toMatchObject({ code: 2, err: "Replay 40 dead letters? This is not a terminal: answer with --yes" })
  expect(posted()).toHaveLength(1)
  const { code, out, err } = await run([...REPLAY, "--yes"])
  expect({ code, err }).toEqual({ code: 0, err: "" })
  expect(out).toMatch(/Replayed 40 dead letters\.\n$/)
})

test("an operation that cannot be followed goes on all the same, and that is said", async () => {
  manyToReplay()
  const forbidden = { error: "forbidden", message: "it needs instances:read", requestId: "r" }
  engine.answers["GET /v1/bulk/01BULK"] = { status: 403, body: forbidden }
  const { code, err } = await run([...REPLAY, "--yes"])
  expect(code).toBe(1)
  expect(err).toMatch(/^Replaying goes on in the engine, but cannot be followed: it needs instances:read/)
})

test("--json --yes: one document, the operation as it ended; --dry-run sends nothing", async () => {
  manyToReplay()
  expect(JSON.parse((await run([...REPLAY, "--yes", "--json"])).out)).toEqual(bulk(40, true))
  manyToReplay()
  engine.asked.length = 0
  expect((await run([...REPLAY, "--dry-run"])).out).toContain("This would replay 40 dead letters")
  expect(posted()).toEqual([["POST /queues/dlq/replay", { filter, dryRun: true }]])
})

test.each([[[]], [["--json"]]])(
  "what was left is a failure %j: exit code 1, and where the reasons are",
  async (more) => {
    manyToReplay()
    engine.answers["GET /v1/bulk/01BULK"] = { body: { ...bulk(36, true), failed: 4 } }
    const { code, out, err } = await run([...REPLAY, "--yes", ...more])
    expect(code).toBe(1)
    expect(err).toBe("4 dead letters were left: the engine's log says why, in its warnings of bulk 01BULK")
    if (more.length > 0) expect(JSON.parse(out)).toMatchObject({ done: 36, failed: 4 })
    else expect(out).toMatch(/Replayed 36 dead letters\.\n$/)
  },
)

test("a filter that matches nothing: which types there are dead letters of", async () => {
  engine.answers["POST /queues/dlq/replay"] = { status: 202, body: { ...bulk(0, true), matched: 0, dryRun: true } }
  engine.answers["GET /queues/dlq"] = { body: { items: [letter(), letter({ type: "report" }), letter()] } }
  expect(await run(["replay", "--type", "send_mail"])).toMatchObject({
    code: 0,
    out: "Nothing matches: there is nothing to replay. There are dead letters of send_email, report.\n",
  })
})

test("discard: asks for one as well, and says all only by --all", async () => {
  engine.answers[`DELETE /queues/dlq/${ID}`] = { status: 204 }
  expect((await run(["discard", ID], { columns: 80, input: "n\n" })).out).toBe("Nothing was changed.\n")
  expect(engine.asked).toEqual([])
  expect((await run(["discard", ID, "--yes"])).out).toBe(`Discarded ${ID}.\n`)
  engine.answers["POST /queues/dlq/discard"] = { status: 202, body: { ...bulk(0, true), matched: 0 } }
  expect((await run(["discard", "--all"])).out).toBe("Nothing matches: there is nothing to discard.\n")
  const sent = engine.asked.at(-1)?.body as { filter: { before: string } }
  expect(Date.parse(sent.filter.before)).toBeGreaterThan(Date.now())
})

test.each<[string, string[], RegExp]>([
  ["neither an id nor a filter", ["replay"], /^say which: an id, --type, --error or --all/],
  ["both", ["discard", ID, "--type", "x"], /^give an id or a filter, not both$/],
  ["no such priority", ["replay", "--priority", "low"], /'low' is invalid/],
])("%s: exit code 2, and nothing is sent", async (_, argv, expected) => {
  const { code, err } = await run(argv)
  expect(code).toBe(2)
  expect(err).toMatch(expected)
  expect(engine.asked).toEqual([])
})
