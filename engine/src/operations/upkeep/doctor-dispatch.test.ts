// The doctor where jobs are dispatched through Kafka: each check finds its wound, and nothing where all is well.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { end, service, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { holdLoops, noTerm } from "../../test-support/loops.ts"
import { MemoryBroker } from "../../test-support/memory-broker.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { beginDispatching } from "../jobs/dispatch/begin-dispatching.ts"
import { dispatchingOf } from "../jobs/dispatch/dispatching.ts"
import { jobRelayOf } from "../jobs/dispatch/relay.ts"
import { examineDispatch } from "./doctor-dispatch.ts"

let engine: TestEngine
let broker: MemoryBroker

beforeAll(async () => {
  engine = await createTestEngine()
  await holdLoops(engine.kernel)
  await engine.upload(workflow("one", [service("pick", "end"), end()]))
})
afterAll(() => engine.close())
beforeEach(async () => {
  await dispatchingOf(engine.kernel).close()
  broker = new MemoryBroker(["pick"])
  await engine.db.script("delete from millrace.dispatches; delete from millrace.jobs; delete from millrace.leaders")
  await engine.db.script(`insert into millrace.leaders (name, holder, term, until)
    values ('dispatcher', gen_random_uuid(), 1, millrace.clock() + interval '1 hour')`)
  engine.kernel.metrics.registry.clear()
  await beginDispatching(engine.kernel, { broker, batchMax: 200, leads: true })
})

async function relay(): Promise<void> {
  while (await jobRelayOf(engine.kernel).round(noTerm));
}

/** After a broker that was away the relay pauses for a moment. */
async function publishOne(): Promise<void> {
  await drive(engine.kernel).start("one")
  await expect.poll(() => relay().then(() => broker.messages("pick").length)).toBe(1)
}

/** What was found, or what kept it from being known, by check. */
async function found(asked: Promise<MemoryBroker> = Promise.resolve(broker)): Promise<Record<string, string>> {
  const verdicts: Record<string, string> = {}
  for await (const verdict of examineDispatch({ db: engine.db, broker: asked })) {
    if ("failure" in verdict) verdicts[verdict.name] = `not known: ${(verdict.failure as Error).message}`
    else for (const { instanceId, detail } of verdict.symptoms) verdicts[verdict.name] = `${instanceId} ${detail}`
  }
  return verdicts
}

test("C-124: nothing where jobs are published and read", async () => {
  await publishOne()
  broker.commit("pick", 0)
  expect(await found()).toEqual({})
})

test("C-95: a topic that is missing is named", async () => {
  broker.delete("pick")
  expect(await found()).toEqual({ missingTopics: "topic workflow.jobs.pick does not exist" })
})

test("C-91: a relay that no process leads is told", async () => {
  await engine.db.script("update millrace.leaders set until = '-infinity'")
  expect(await found()).toEqual({ unledRelay: "relay no process holds its lease" })
})

test("C-124: a dispatch that the broker does not take is late", async () => {
  broker.isAway = true
  await drive(engine.kernel).start("one")
  await relay()
  broker.isAway = false
  expect(await found()).toEqual({})
  await engine.advanceClock(31_000)
  expect(await found()).toMatchObject({
    lateDispatches: expect.stringMatching(/^topic workflow\.jobs\.pick 1 are not published, the first since 2/),
  })
})

test("C-102: messages of a group without an offset are told with its name", async () => {
  await publishOne()
  expect(await found()).toEqual({
    unreadTopics: "topic workflow.jobs.pick the group workflow.workers.pick has no offset",
  })
})

test("C-124: where no broker answers, what it is asked for is not known, and the rest is", async () => {
  const away = Promise.reject(new Error("no broker answers"))
  away.catch(() => {})
  await publishOne()
  const said = "not known: no broker answers"
  expect(await found(away)).toEqual({ missingTopics: said, unreadTopics: said })
})
