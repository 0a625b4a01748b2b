// With the database away, every method of the library tells it in the words of the catalogue.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { downstream, EngineError, type Mill, millrace, workflow } from "../../index.ts"
import { PrivateEngine, testEngine } from "../../test-kit/test-engine.ts"
import { workflow as definition, end, service } from "../../test-support/definitions.ts"
import { createSeverableProxy, type SeverableProxy } from "../../test-support/severable-proxy.ts"
import { createTestDatabase } from "../../test-support/test-engine.ts"
import { DeadLetters } from "../handles/dead-letters.ts"
import { JobHandle } from "../handles/job-handle.ts"
import { Jobs } from "../handles/jobs.ts"
import { RunHandle } from "../handles/run-handle.ts"
import { Runs } from "../handles/runs.ts"
import { Definitions } from "./definitions.ts"
import { Mill as MillClass } from "./mill.ts"
import { Schedules } from "./schedules.ts"

const ID = "01ARZ3NDEKTSV4RRFFQ69G5FAV"
const nothing = () => {}
const flow = (name: string) => workflow(name, { steps: [nothing] })

type Call = (mill: Mill) => Promise<unknown>
/** One call of every method that asks the database. */
const calls: Readonly<Record<string, Call>> = {
  "Mill.start": (mill) => mill.start(flow("started"), {}),
  "Mill.intake": (mill) => mill.intake("known", {}, { key: "k" }),
  "Mill.publish": (mill) => mill.publish("order.paid", {}),
  "Mill.on": (mill) => mill.on("order.paid", nothing),
  "Mill.consume": (mill) => mill.consume("order.paid", { group: "billing" }, nothing),
  "Mill.enqueue": (mill) => mill.enqueue("email", {}),
  "Mill.enqueueMany": (mill) => mill.enqueueMany("email", [{}, {}]),
  "Mill.declare": (mill) => mill.declare(downstream("smtp", { perSecond: 1 })),
  "Mill.work": (mill) => mill.work([flow("worked")]),
  "Mill.drain": (mill) => mill.drain({ handlers: { known: nothing } }),
  "Mill.wake": (mill) => mill.wake("event"),
  "Runs.get": (mill) => mill.runs.get(ID),
  "Runs.find": (mill) => mill.runs.find({ workflow: "known", key: "k" }),
  "Runs.list": (mill) => mill.runs.list({ workflow: "known", keyPrefix: "k" }),
  "Runs.failures": (mill) => mill.runs.failures({ workflow: "known", step: "step" }),
  "RunHandle.result": (mill) => mill.runs.handle(ID).result(),
  "RunHandle.ended": (mill) => mill.runs.handle(ID).ended(),
  "RunHandle.status": (mill) => mill.runs.handle(ID).status(),
  "RunHandle.steps": (mill) => mill.runs.handle(ID).steps(),
  "RunHandle.waiting": (mill) => mill.runs.handle(ID).waiting(),
  "RunHandle.signal": (mill) => mill.runs.handle(ID).signal("paid"),
  "RunHandle.completeUserTask": (mill) => mill.runs.handle(ID).completeUserTask("review"),
  "RunHandle.cancel": (mill) => mill.runs.handle(ID).cancel(),
  "RunHandle.retry": (mill) => mill.runs.handle(ID).retry(),
  "RunHandle.restart": (mill) => mill.runs.handle(ID).restart(),
  "Jobs.get": (mill) => mill.jobs.get(ID),
  "Jobs.find": (mill) => mill.jobs.find({ type: "email", key: "k" }),
  "Jobs.list": (mill) => mill.jobs.list(),
  "Jobs.cancel": (mill) => mill.jobs.cancel(ID),
  "JobHandle.result": (mill) => mill.jobs.handle(ID).result(),
  "JobHandle.ended": (mill) => mill.jobs.handle(ID).ended(),
  "JobHandle.status": (mill) => mill.jobs.handle(ID).status(),
  "JobHandle.waiting": (mill) => mill.jobs.handle(ID).waiting(),
  "JobHandle.cancel": (mill) => mill.jobs.handle(ID).cancel(),
  "DeadLetters.groups": (mill) => mill.deadLetters.groups(),
  "DeadLetters.list": (mill) => mill.deadLetters.list(),
  "DeadLetters.get": (mill) => mill.deadLetters.get(ID),
  "DeadLetters.replay": (mill) => mill.deadLetters.replay(ID),
  "DeadLetters.discard": (mill) => mill.deadLetters.discard(ID),
  "Definitions.upload": (mill) => mill.definitions.upload(definition("new", [service("a", "end"), end()])),
  "Schedules.put": (mill) => mill.schedules.put("nightly", { start: "email", cron: "0 0 * * *" }),
  "Schedules.change": (mill) => mill.schedules.change("nightly", { enabled: false }),
  "Schedules.get": (mill) => mill.schedules.get("nightly"),
  "Schedules.list": (mill) => mill.schedules.list(),
  "Schedules.run": (mill) => mill.schedules.run("nightly"),
  "Schedules.runs": (mill) => mill.schedules.runs("nightly"),
  "Schedules.delete": (mill) => mill.schedules.delete("nightly"),
}
/** These ask nothing of the database, or end what is open whether it answers or not. */
const withoutDatabase = ["Mill.metrics", "Mill.stop", "Runs.handle", "Jobs.handle"]

const methodsOf = (type: { readonly name: string; readonly prototype: object }): string[] =>
  Object.getOwnPropertyNames(type.prototype)
    .filter((name) => name !== "constructor")
    .map((name) => `${type.name}.${name}`)

const unavailable = async (work: Promise<unknown>) => {
  const error = await work.then(
    () => "done",
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(EngineError)
  expect(error).toMatchObject({ code: "unavailable" })
}

describe("a mill whose database is away", () => {
  let proxy: SeverableProxy
  let mill: Mill
  let drop: () => Promise<void>

  beforeAll(async () => {
    const created = await createTestDatabase()
    drop = created.drop
    proxy = await createSeverableProxy(created.dsn)
    mill = await millrace({ database: proxy.dsn, maxConnections: 4, logLevel: "silent" })
    await mill.definitions.upload(definition("known", [service("known", "end"), end()]))
    // A job that is ready, so that there is something to claim.
    await mill.start("known")
    await proxy.sever()
  })
  afterAll(async () => {
    await mill.stop()
    await proxy.close()
    await drop()
  })

  test("there is a call for every method", () => {
    const types = [MillClass, Definitions, Schedules, Runs, RunHandle, Jobs, JobHandle, DeadLetters]
    const methods = types.flatMap(methodsOf)
    expect([...Object.keys(calls), ...withoutDatabase].sort()).toEqual(methods.sort())
  })

  test.each(Object.entries(calls))("%s is told to try again", (_, call) => unavailable(call(mill)))

  test("the metrics are there all the same", async () => {
    expect(await mill.metrics()).toContain("# HELP")
  })
})

test("the engine of the test kit tells it so, too", async () => {
  const { dsn, drop } = await createTestDatabase({ empty: true })
  const proxy = await createSeverableProxy(dsn)
  const engine = await testEngine({ database: proxy.dsn })
  const { id } = await engine.run(flow("kit"), {})
  await proxy.sever()
  const kit: Readonly<Record<string, () => Promise<unknown>>> = {
    work: () => engine.work([flow("other")]),
    run: () => engine.run(flow("kit"), {}),
    settle: () => engine.settle(id),
    advance: () => engine.advance("1h"),
    close: () => engine.close(),
  }
  expect([...Object.keys(kit), "stub"].sort()).toEqual(
    Object.getOwnPropertyNames(PrivateEngine.prototype)
      .filter((name) => name !== "constructor")
      .sort(),
  )
  for (const call of Object.values(kit)) await unavailable(call())
  await unavailable(testEngine({ database: proxy.dsn }))
  await proxy.close()
  await drop()
})
