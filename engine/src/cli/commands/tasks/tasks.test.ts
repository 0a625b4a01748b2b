// `millrace tasks` and `millrace workers` on a real engine over real HTTP.
import { afterAll, beforeAll, expect, test } from "vitest"
import { workflow as codeWorkflow, userTask } from "../../../index.ts"
import { Mill } from "../../../library/running/mill.ts"
import { end, linear, step, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { createTestServer, type TestServer } from "../../../transports/rest/test-support/test-server.ts"
import { runCommand, type Terminal } from "../../test-support/run-command.ts"

const DESK = "desk-key"
/** May do with tasks what there is, and see nothing else. */
const desk = { id: "desk", name: "desk", scopes: ["tasks:read", "tasks:write"] }

let server: TestServer
beforeAll(async () => {
  server = await createTestServer({ keys: { [DESK]: desk } })
  const outputSchema = {
    properties: { note: { type: "string" }, approved: { type: "boolean" } },
    required: ["approved"],
  }
  const approve = step("USER_TASK", "approve", { assigneeGroup: "credit", nextStep: "end", outputSchema })
  await server.engine.upload(workflow("loan", [{ ...approve, name: "Approve the loan" }, end()]))
  const both = step("PARALLEL_GATEWAY", "fork", { parallelNextSteps: ["left", "right"], joinStep: "join" })
  const person = (id: string) => step("USER_TASK", id, { assignee: id, nextStep: "join" })
  const join = step("JOIN_GATEWAY", "join", { nextStep: "end" })
  await server.engine.upload(workflow("pair", [both, person("left"), person("right"), join, end()]))
})
afterAll(() => server.close())

const run = (argv: readonly string[], terminal: Terminal = {}) =>
  runCommand(argv, { env: { WE_URL: server.url, NO_COLOR: "1" }, ...terminal })
const worker = () => drive(server.engine.kernel)

test("a task is listed, claimed by the key of its instance, shown and completed", async () => {
  const id = await worker().start("loan", { amount: 900 }, { businessKey: "loan-17" })
  const listed = await run(["tasks", "--group", "credit"], { columns: 80 })
  expect(listed.out).toMatch(/^TASK +NAME +FOR +SINCE/)
  expect(listed.out).toMatch(/ {2}Approve the loan +\(credit\) /)
  for (const line of listed.out.split("\n")) expect(line.length).toBeLessThanOrEqual(80)
  expect(await run(["tasks", "claim", "loan-17"])).toMatchObject({ code: 2 })
  expect((await run(["tasks", "claim", "loan-17", "--as", "maria"])).out).toMatch(
    /^Approve the loan \(\S+\) is the task of maria\.\n$/,
  )
  const { items } = JSON.parse((await run(["tasks", "--as", "maria", "--json"])).out)
  expect(items).toMatchObject([{ instanceId: id, assignee: "maria" }])
  const shown = (await run(["tasks", "show", items[0].id])).out
  expect(shown).toMatch(/^Assignee +maria$/m)
  expect(shown).toMatch(/^To complete +approved \(boolean, required\), note \(string\)$/m)
  const other = await run(["tasks", "claim", items[0].id, "--as", "bo"])
  expect(other).toMatchObject({ code: 1, err: expect.stringContaining("maria") })
  expect(await run(["tasks", "unclaim", "loan-17", "--as", "bo"])).toMatchObject({ code: 1 })
  expect((await run(["tasks", "unclaim", "loan-17", "--as", "maria"])).out).toMatch(/ has no assignee\.\n$/)
  expect((await run(["tasks", "delegate", "loan-17", "--to", "bo"])).out).toMatch(/ is the task of bo\.\n$/)
  expect(await run(["tasks", "delegate", "loan-17", "--to", "eve", "--as", "maria"])).toMatchObject({ code: 1 })
  expect((await run(["tasks", "delegate", "loan-17", "--to", "maria", "--as", "bo"])).code).toBe(0)
  const due = ["tasks", "due", "loan-17"]
  expect((await run([...due, "--at", "2030-01-01T08:00:00Z"])).out).toMatch(/ is due at 2030-01-01T08:00:00\.000Z\.\n$/)
  expect(await run([...due, "--at", "tomorrow"])).toMatchObject({ code: 1, err: expect.stringContaining("dueAt") })
  expect(await run(due)).toMatchObject({ code: 2, err: "say either --at <time> or --none" })
  expect(await run([...due, "--none", "--at", "2030-01-01T08:00:00Z"])).toMatchObject({ code: 2 })
  expect((await run([...due, "--none"])).out).toMatch(/ has no due date\.\n$/)
  const done = await run(["tasks", "complete", items[0].id, "--as", "maria", "--variables", '{"approved":true}'])
  expect(done).toMatchObject({ code: 0, out: expect.stringContaining("is completed") })
  expect(await worker().get(id)).toMatchObject({ status: "COMPLETED", variables: { amount: 900, approved: true } })
  expect((await run(["tasks", "--group", "credit"])).out).toBe("There are no such tasks.\n")
  expect((await run(["tasks", "--status", "completed"])).out).toContain("Approve the loan")
})

test("of an instance that waits for several tasks one must be named", async () => {
  const id = await worker().start("pair", {}, { businessKey: "pair-1" })
  expect(await run(["tasks", "complete", "pair-1"])).toMatchObject({
    code: 2,
    err: "it waits for several tasks, name one with --step: left, right",
  })
  for (const side of ["left", "right"])
    expect((await run(["tasks", "complete", id, "--step", side, "--as", "bo"])).code).toBe(0)
  expect(await worker().get(id)).toMatchObject({ status: "COMPLETED" })
  expect(await run(["tasks", "complete", "pair-1"])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^there is no open task pair-1: .* was completed by bo at /),
  })
})

test("a key that may only see tasks finds one by the key or the id of its instance", async () => {
  const asDesk = (...argv: string[]) =>
    run(["tasks", ...argv], { env: { WE_URL: server.url, WE_API_KEY: DESK, NO_COLOR: "1" } })
  await worker().start("loan", {}, { businessKey: "desk-1" })
  const pair = await worker().start("pair", {}, { businessKey: "desk-2" })
  expect(await asDesk("claim", "desk-1", "--as", "maria")).toMatchObject({ code: 0, err: "" })
  expect((await asDesk("show", "desk-1", "--definition", "loan")).out).toMatch(/^Assignee +maria$/m)
  expect((await asDesk("complete", "desk-1", "--variables", '{"approved":true}')).out).toContain("is completed")
  const several = { code: 2, err: "it waits for several tasks, name one with --step: left, right" }
  expect(await asDesk("complete", "desk-2")).toMatchObject(several)
  for (const side of ["left", "right"])
    expect(await asDesk("complete", pair, "--step", side)).toMatchObject({ code: 0, err: "" })
  expect(await asDesk("claim", "desk-2", "--as", "bo")).toMatchObject({ code: 1, err: "there is no open task desk-2" })
})

test("a key that tasks of several definitions have is asked about, also of one that may only see tasks", async () => {
  for (const definition of ["loan", "pair"]) await worker().start(definition, {}, { businessKey: "desk-3" })
  const claim = ["tasks", "claim", "desk-3", "--as", "bo"]
  const env = { WE_URL: server.url, WE_API_KEY: DESK, NO_COLOR: "1" }
  const refused = { code: 2, err: "tasks of loan and pair have the key desk-3: name one with --definition" }
  expect(await run(claim, { env })).toMatchObject(refused)
  expect((await run([...claim, "--definition", "loan"], { env })).out).toMatch(/ is the task of bo\.\n$/)
})

test("workers: what each asks for and has in hand", async () => {
  await server.engine.upload(linear("order"))
  await worker().start("order")
  await drive(server.engine.kernel, "packer-1").claimOne("a")
  const { out } = await run(["workers"], { columns: 80 })
  expect(out).toMatch(/^WORKER +ASKS +JOBS +OLDEST +SEEN/)
  expect(out).toMatch(/^packer-1 +\w+ +1 .* a$/m)
  expect(JSON.parse((await run(["workers", "--json"])).out).items).toMatchObject([
    { workerId: "packer-1", inFlight: 1 },
  ])
})

test.each([
  ["list", codeWorkflow("reviewed", { recover: "resume", steps: [userTask({ name: "review" })] })],
  ["function", codeWorkflow("reviewed-function", async (run) => run.userTask("review", {}))],
])("the task of a %s is found by its instance, with its step and without", async (_, flow) => {
  const mill = new Mill(server.engine.kernel, server.engine.core.processId, async () => {})
  const { id } = await mill.start(flow, {}, { key: `of-${flow.name}` })
  await mill.drain([flow])
  expect((await run(["tasks", "show", id])).code).toBe(0)
  expect((await run(["tasks", "show", `of-${flow.name}`])).code).toBe(0)
  expect((await run(["tasks", "claim", id, "--step", "review", "--as", "maria"])).code).toBe(0)
  expect(await run(["tasks", "complete", id, "--variables", '{"ok":true}'])).toMatchObject({ code: 0, err: "" })
  await mill.drain([flow])
  expect(await mill.runs.get(id)).toMatchObject({ status: "COMPLETED" })
  await mill.stop()
})
