// A misspelt option is refused where it would take away a limit, a filter or a transaction: with its name, and the one that was meant.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { downstream, EngineError, job, millrace, sleep, userTask, waitForSignal, workflow } from "../../index.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import type { Mill } from "./mill.ts"

let mills: Mills
let mill: Mill
beforeAll(async () => {
  mills = await openMills()
  mill = mills.mill
})
afterAll(() => mills.close())

const any = (value: unknown) => value as never
const flow = workflow("spelt", { steps: [function nothing() {}] })
const mail = job("spelt_mail", () => {})
const run = () => mill.runs.handle("no-run")
const queued = () => mill.jobs.handle("no-job")
const unique = { key: "k", for: "1m", mod: "debounce" }
const schedule = { start: mail, cron: "0 0 1 1 *" }

type Case = readonly [misspelt: string, meant: string, call: () => unknown]

const authoring: readonly Case[] = [
  ["persecond", "perSecond", () => downstream("smtp", any({ persecond: 5 }))],
  ["witin", "within", () => waitForSignal("paid", any({ witin: "1h" }))],
  ["duIn", "dueIn", () => userTask(any({ name: "approve", duIn: "1h" }))],
  ["nam", "name", () => sleep("1h", any({ nam: "night" }))],
]

const running: readonly Case[] = [
  ["bussinessKey", "businessKey", () => mill.start(flow, {}, any({ bussinessKey: "b" }))],
  ["linkinId", "linkingId", () => mill.intake(flow, {}, any({ key: "k", linkinId: "l" }))],
  ["mod", "mode", () => mill.enqueue(mail, {}, { unique: any(unique) })],
  ["maxx", "max", () => mill.enqueue(mail, {}, { limit: any({ key: "k", max: 1, maxx: 1 }) })],
  ["dealy", "delay", () => mill.enqueueMany(mail, [{}], any({ dealy: 5 }))],
  ["headrs", "headers", () => mill.publish("spelt.event", {}, any({ headrs: {} }))],
  ["trys", "tries", () => mill.on("spelt.event", () => {}, any({ trys: 1 }))],
  ["txx", "tx", () => mill.wake("l", any({ txx: 1 }))],
  ["concurency", "concurrency", () => mill.work([flow], any({ concurency: 5 }))],
  ["concurency", "concurrency", () => mill.work(any({ handlers: { a: () => {} }, concurency: 5 }))],
  ["dedline", "deadline", () => mill.drain([flow], any({ dedline: 5 }))],
  ["timezon", "timezone", () => mill.schedules.put("s", any({ ...schedule, timezon: "Europe/Berlin" }))],
  ["overlp", "overlap", () => mill.schedules.change("s", any({ overlp: "skip" }))],
  ["pagesize", "pageSize", () => mill.schedules.list(any({ pagesize: 1 }))],
  ["pagesize", "pageSize", () => mill.schedules.runs("s", any({ pagesize: 1 }))],
]

const handles: readonly Case[] = [
  ["typ", "type", () => mill.deadLetters.list(any({ typ: "mail" }))],
  ["sinc", "since", () => mill.deadLetters.groups(any({ sinc: new Date(0) }))],
  ["statu", "status", () => mill.jobs.list(any({ statu: "held" }))],
  ["keyy", "key", () => mill.jobs.find(any({ type: "mail", key: "k", keyy: "k" }))],
  ["worklow", "workflow", () => mill.runs.list(any({ worklow: flow }))],
  ["keyy", "key", () => mill.runs.find(any({ workflow: flow, key: "k", keyy: "k" }))],
  ["pagesize", "pageSize", () => mill.runs.failures(any({ workflow: flow, step: "nothing", pagesize: 1 }))],
  ["reson", "reason", () => mill.jobs.cancel("no-job", any({ reson: "r" }))],
  ["timeoutms", "timeoutMs", () => queued().result(any({ timeoutms: 1 }))],
  ["timeoutms", "timeoutMs", () => run().ended(any({ timeoutms: 1 }))],
  ["reson", "reason", () => run().cancel(any({ reson: "r" }))],
  ["inpt", "input", () => run().retry(any({ inpt: {} }))],
  ["form", "from", () => run().restart(any({ form: "nothing" }))],
  ["txx", "tx", () => run().signal("paid", {}, any({ txx: 1 }))],
  ["completdBy", "completedBy", () => run().completeUserTask("approve", {}, any({ completdBy: "me" }))],
]

test.each([
  ["attempts", "here it is `retries`"],
  ["jobId", "here it is `key`"],
  ["singletonKey", "here it is `unique`"],
  ["removeOnComplete", "here the records of ended jobs go by themselves"],
  ["repeat", "here it is a schedule"],
])("`%s`, as other queues call it, is answered with: %s", async (name, hint) => {
  await expect(mill.enqueue(mail, {}, any({ [name]: 1 }))).rejects.toMatchObject({
    code: "bad-request",
    message: expect.stringContaining(`unknown option \`${name}\`: ${hint}`),
  })
})

describe.each([
  ["what is written", authoring],
  ["what is handed in and worked on", running],
  ["what is looked for and changed", handles],
])("%s", (_, cases) => {
  test.each(cases)("`%s` is refused, and `%s` named", async (misspelt, meant, call) => {
    const error = await (async () => call())().then(
      () => undefined,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(EngineError)
    const message = expect.stringContaining(`: unknown option \`${misspelt}\`: did you mean \`${meant}\`?`)
    expect(error).toMatchObject({ code: "bad-request", message })
  })
})

test("an option that is like no other is refused with all that there are", async () => {
  const listed = mill.deadLetters.list(any({ jobType: "mail" }))
  await expect(listed).rejects.toMatchObject({
    code: "bad-request",
    message: expect.stringMatching(/unknown option `jobType`: known are source, type, priority, workflow, .*pageSize$/),
  })
  expect(() => downstream("smtp", any({ perSec: 5 }))).toThrow(
    "downstream smtp: unknown option `perSec`: known are perSecond, concurrency, adaptive",
  )
  await expect(mill.jobs.list(any({ state: "held" }))).rejects.toThrow("unknown option `state`")
})

test.each<[string, () => unknown, string]>([
  ["millrace()", () => millrace(any("postgres://h/db")), "{ database: … }"],
  ["cancelling a run", () => run().cancel(any("why")), "{ reason: … }"],
  ["unique", () => mill.enqueue(mail, {}, { unique: any("u") }), "{ key: … }"],
  ["starting a run", () => mill.start(flow, {}, any("key")), "{ key: … }"],
])("%s: a text where options are expected is answered with what they look like", async (what, call, shown) => {
  const refused = (async () => call())()
  await expect(refused).rejects.toThrow(`${what}: options are an object, such as ${shown}, not a string`)
})

test("a function is told so too, before the step or the wait begins", async () => {
  const words = (call: () => Promise<unknown>) =>
    call().then(
      () => "accepted",
      (error: Error) => error.message,
    )
  const body = workflow("spelt-function", async (run) => ({
    step: await words(() => run.step("a", () => {}, any({ timout: 5 }))),
    signal: await words(() => run.signal("b", any({ witin: "1h" }))),
    task: await words(() => run.userTask("c", any({ assigne: "me" }))),
    child: await words(() => run.child(flow, {}, any({ keyy: "k" }))),
    named: await words(() => run.child(any("spelt"), any({}))),
    timeout: await words(() => run.signal("go", any({ timeout: "3s" }))),
    text: await words(() => run.signal("go", any("3s"))),
  }))
  const begun = await mill.start(body, {})
  await mill.drain([body])
  expect(await begun.result()).toEqual({
    step: "step a: unknown option `timout`: did you mean `timeout`?",
    signal: "the signal b: unknown option `witin`: did you mean `within`?",
    task: "the user task c: unknown option `assigne`: did you mean `assignee`?",
    child: "the child spelt: unknown option `keyy`: did you mean `key`?",
    named: "spelt is no workflow: pass on what workflow(…) has returned",
    timeout: "the signal go: unknown option `timeout`: did you mean `within`?",
    text: "the signal go: options are an object, such as { within: … }, not a string",
  })
})

test("promises where `run.all` expects functions: the run fails, and says how it is written", async () => {
  const body = workflow("spelt-promises", async (run) => run.all(any([run.step("a", () => 1), run.step("b", () => 2)])))
  const begun = await mill.start(body, {})
  await mill.drain([body])
  await expect(begun.result()).rejects.toThrow(
    'run.all takes functions that make the calls, as in run.all({ a: () => run.step("a", …) }): 0 is an object',
  )
})
