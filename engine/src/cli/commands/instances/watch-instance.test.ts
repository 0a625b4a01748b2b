// `millrace instances watch`: a run until its end, in place at a terminal and in lines elsewhere; the exit code says how it ended.
import { afterAll, beforeAll, expect, test } from "vitest"
import { end, linear, service, step, workflow } from "../../../test-support/definitions.ts"
import { drive } from "../../../test-support/drive.ts"
import { createTestServer, type TestServer } from "../../../transports/rest/test-support/test-server.ts"
import { startFakeEngine } from "../../test-support/fake-engine.ts"
import { runCommand, type Terminal } from "../../test-support/run-command.ts"

let server: TestServer
beforeAll(async () => {
  server = await createTestServer()
  // Its jobs wait for good: nothing claims them.
  await server.engine.upload(linear("idle"))
  const pay = service("pay", "ship", { retryCount: 3 })
  await server.engine.upload(workflow("order", [pay, service("ship", "end"), end()]))
})
afterAll(() => server.close())

const watch = (id: string, more: readonly string[] = [], terminal: Terminal = {}) =>
  runCommand(["instances", "watch", id, ...more], { env: { WE_URL: server.url, NO_COLOR: "1" }, ...terminal })
const worker = () => drive(server.engine.kernel)
const start = (businessKey?: string) => worker().start("order", {}, businessKey === undefined ? {} : { businessKey })
const startIdle = () => worker().start("idle")

async function completeBoth(): Promise<void> {
  for (const jobType of ["pay", "ship"]) await worker().complete(await worker().claimOne(jobType))
}

/** Acts once, as soon as the run has been shown. */
const onceShown = (text: string, act: () => Promise<unknown>): Pick<Terminal, "onWrite"> => {
  const waiting = [act]
  return {
    onWrite: (written) => {
      if (written.includes(text)) void waiting.pop()?.()
    },
  }
}

test("in lines where there is no terminal: each change once, and exit code 0 at its completion", async () => {
  const id = await start("lines")
  const { code, out } = await watch("lines", [], onceShown("pay RUNNING", completeBoth))
  expect(code).toBe(0)
  const lines = out
    .trimEnd()
    .split("\n")
    .map((line) => line.replace(/^\S+ \S+ UTC {2}/, "").replace(/\d+(\.\d)? m?s/, "1 s"))
  expect(lines).toContain("pay RUNNING")
  expect(lines).toContain("pay COMPLETED after 1 s")
  expect(lines.at(-1)).toBe(`instance ${id} COMPLETED after 1 s`)
  expect(new Set(lines).size).toBe(lines.length)
})

test("lines are in the order of their times, and a run that comes to wait does so when its step does", async () => {
  const wait = step("WAIT", "approved", { nextStep: "end" })
  await server.engine.upload(workflow("asking", [service("pay", "approved", { retryCount: 1 }), wait, end()]))
  const id = await worker().start("asking")
  await worker().fail(await worker().claimOne("pay"), "card service is away", true, 0)
  await server.engine.advanceClock(5_000)
  const goOn = async () => worker().complete(await worker().claimOne("pay"))
  const signal = () => server.call(`POST /v1/instances/${id}/signals/approved`, { body: {} })
  const acts = [onceShown("pay RUNNING", goOn), onceShown("WAITING", signal)]
  const onWrite: Terminal["onWrite"] = (...shown) => {
    for (const act of acts) act.onWrite?.(...shown)
  }
  const { out } = await watch(id, [], { onWrite })
  const lines = out.trimEnd().split("\n")
  const times = lines.map((line) => line.slice(0, line.indexOf(" UTC")))
  expect(times).toEqual(times.toSorted())
  const timeOf = (text: string) => times[lines.findIndex((line) => line.includes(text))]
  expect(timeOf(`${id} WAITING`)).toBe(timeOf("approved RUNNING"))
  expect(timeOf(`${id} ACTIVE`)).not.toBe(timeOf("approved RUNNING"))
})

test("lines: that it is ACTIVE comes before the steps that were done between two reads", async () => {
  const id = "01JN8Z3V5E8Q2R7W4Y6T9A1B3C"
  const [startedAt, endedAt] = ["2025-03-01T09:31:00.000Z", "2025-03-01T09:31:00.200Z"]
  const live = { id, definitionId: "d", definitionVersion: 1, currentStepIds: [], status: "ACTIVE", variables: {} }
  const steps = [{ id: `${id}-0001`, stepId: "pay", stepType: "SERVICE_TASK", status: "COMPLETED", startedAt, endedAt }]
  const replies = ["ACTIVE", "WAITING", "ACTIVE"]
  const fake = await startFakeEngine({
    [`GET /v1/instances/${id}`]: () => {
      const status = replies.shift() ?? "COMPLETED"
      const end = status === "COMPLETED" ? { completedAt: endedAt } : {}
      return { body: { ...live, startedAt, priority: "normal", status, ...end } }
    },
    [`GET /v1/instances/${id}/steps`]: { body: { form: "graph", currentSteps: [], items: steps } },
    [`GET /v1/instances/${id}/waiting`]: { body: { reasons: [] } },
    [`GET /v1/instances/${id}/audit`]: { body: { items: [] } },
  })
  const { out } = await runCommand(["instances", "watch", id], { env: { WE_URL: fake.url } })
  await fake.close()
  expect(out.match(/(instance|pay) .*$/gm)).toEqual([
    `instance ${id} ACTIVE`,
    "pay RUNNING",
    "pay COMPLETED after 200 ms",
    `instance ${id} WAITING`,
    `instance ${id} COMPLETED after 200 ms`,
  ])
})

test("in place at a terminal: steps with tries, times and the error of the last try; the last picture stays", async () => {
  const id = await start("drawn")
  await worker().fail(await worker().claimOne("pay"), "card service is away", true, 0)
  const { code, out } = await watch(id, [], { columns: 80, ...onceShown("WAITING", completeBoth) })
  expect(code).toBe(0)
  const [first, last] = [out.split("\u001b[H")[1] as string, out.split("\u001b[?1049l")[1] as string]
  expect(first).toMatch(/^order version 1 {2}ACTIVE/)
  expect(first).toContain(`${id}, key drawn`)
  expect(first).toMatch(/^pay +WAITING +2 .*card service/m)
  expect(last).toMatch(/^order version 1 {2}COMPLETED/)
  expect(last).toMatch(/^ship +COMPLETED +1 /m)
  for (const line of last.split("\n")) expect(line.length).toBeLessThanOrEqual(80)
})

test("with --json a document a line, and only when something has changed", async () => {
  const id = await start()
  const { out } = await watch(id, ["--json"], onceShown('"ACTIVE"', completeBoth))
  const documents = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(documents[0]).toMatchObject({ id, status: "ACTIVE", steps: [{ stepId: "pay", status: "WAITING" }] })
  expect(documents.at(-1)).toMatchObject({ id, status: "COMPLETED" })
  expect(new Set(out.trimEnd().split("\n")).size).toBe(documents.length)
})

test("a failed run ends it with 3 and the reason, a cancelled one with 4", async () => {
  const failed = await start()
  await worker().fail(await worker().claimOne("pay"), "card declined\u001b[2J", false)
  expect(await watch(failed)).toMatchObject({ code: 3, err: `${failed} has failed: card declined\\u001b[2J` })
  const cancelled = await startIdle()
  await server.call(`POST /v1/instances/${cancelled}/cancel`, { body: {} })
  expect(await watch(cancelled)).toMatchObject({ code: 4, err: `${cancelled} was cancelled` })
})

test("Ctrl-C before the end: exit code 130, so that nothing goes on as if it had completed", async () => {
  const id = await startIdle()
  const onWrite: Terminal["onWrite"] = (_, signals) => signals.emit("SIGINT")
  expect(await watch(id, [], { columns: 80, onWrite })).toMatchObject({
    code: 130,
    err: `${id} has not ended: it is ACTIVE`,
  })
})

test("start --watch follows what it started", async () => {
  const done = runCommand(["instances", "start", "order", "--watch"], {
    env: { WE_URL: server.url },
    ...onceShown("pay RUNNING", completeBoth),
  })
  expect(await done).toMatchObject({ code: 0, out: expect.stringMatching(/COMPLETED after/) })
})

test("an engine that is away for a while is shown as away, one that refuses ends it", async () => {
  const instance = { id: "01JN8Z3V5E8Q2R7W4Y6T9A1B3C", definitionId: "d", definitionVersion: 1, currentStepIds: [] }
  const live = {
    ...instance,
    status: "ACTIVE",
    variables: {},
    startedAt: "2025-03-01T09:31:00.000Z",
    priority: "normal",
  }
  const away = { status: 503, body: { error: "unavailable", message: "the database is away", requestId: "r" } }
  const gone = { status: 404, body: { error: "not-found", message: "there is no instance", requestId: "r" } }
  const replies = [{ body: live }, away, gone]
  const fake = await startFakeEngine({
    [`GET /v1/instances/${instance.id}`]: () => replies.shift() ?? gone,
    [`GET /v1/instances/${instance.id}/steps`]: { body: { form: "graph", currentSteps: [], items: [] } },
    [`GET /v1/instances/${instance.id}/waiting`]: { body: { reasons: [] } },
  })
  const { code, out, err } = await runCommand(["instances", "watch", instance.id], { env: { WE_URL: fake.url } })
  await fake.close()
  expect({ code, err }).toEqual({ code: 1, err: "there is no instance" })
  expect(out).toMatch(/instance \w+ ACTIVE\nthe database is away\n$/)
})
