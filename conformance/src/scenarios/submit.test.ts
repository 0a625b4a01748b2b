// submit() and real engines: whatever happens on the way, each submission is accepted, and there once.
import { randomUUID } from "node:crypto"
import { createServer, type Server } from "node:net"
import { type Definition, submit } from "@millrace/sdk"
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import { createSeverableProxy, type SeverableProxy } from "../../../engine/dist/test-support/severable-proxy.js"
import { openRealEngine, type RealEngine } from "./test-support/real-engine.ts"

const onboarding: Definition = {
  id: "onboarding",
  name: "Onboarding",
  execution: "steplist",
  steps: [{ id: "first", name: "First", type: "SERVICE_TASK", jobType: "first" }],
}

let near: RealEngine
/** On the same database, over a line that can be cut. */
let far: RealEngine
let line: SeverableProxy
let keys: string[]

beforeAll(async () => {
  near = await openRealEngine()
  line = await createSeverableProxy(near.dsn)
  far = await openRealEngine({ WE_POSTGRES_DSN: line.dsn })
  await near.client.uploadDefinition(onboarding)
})
afterAll(async () => {
  await far.close()
  await line.close()
  await near.close()
})
beforeEach(() => {
  keys = Array.from({ length: 25 }, () => randomUUID())
})

const send = (key: string, ...urls: string[]) =>
  submit({ urls, definitionId: "onboarding", payload: { key }, key, linkingId: "user-1", hedgeAfterMs: 20 })

async function expectEachOnce(): Promise<void> {
  const list = keys.map((key) => `'${key}'`).join()
  const [row] = await near.db.script(`select count(*)::int as runs, count(distinct i.input->>'key')::int as distinct
    from millrace.intake_keys k join millrace.instances i on i.id = k.instance_id
    join millrace.jobs j on j.instance_id = i.id where k.key in (${list})`)
  expect(row).toEqual({ runs: keys.length, distinct: keys.length })
}

test("A-03, A-T1: hedged to two engines at once, and sent by two producers at once", async () => {
  const producers = keys.flatMap((key) => [send(key, near.url, far.url), send(key, far.url, near.url)])
  expect(new Set((await Promise.all(producers)).map(({ idempotencyKey }) => idempotencyKey))).toEqual(new Set(keys))
  await expectEachOnce()
})

test("A-03, A-T10: the database is away, and comes back: producers wait, nothing is lost", async () => {
  await line.sever()
  const submitted = keys.map((key) => send(key, far.url))
  const refused = far.client.intake("onboarding", {}, { key: randomUUID(), maxAttempts: 1 })
  await expect(refused).rejects.toMatchObject({ status: 503, code: "unavailable", retryAfter: 1 })
  await line.heal()
  await Promise.all(submitted)
  await expectEachOnce()
})

test("A-03: the database breaks away in the middle of it", async () => {
  const submitted = keys.map((key) => send(key, far.url))
  await Promise.race(submitted)
  await line.sever()
  await line.heal()
  await Promise.all(submitted)
  await expectEachOnce()
})

test("A-03: the first engine takes the connection and never answers", async () => {
  const mute: Server = createServer(() => {})
  await new Promise<void>((resolve) => mute.listen(0, "127.0.0.1", resolve))
  const { port } = mute.address() as { port: number }
  const submitted = await Promise.all(keys.map((key) => send(key, `http://127.0.0.1:${port}`, near.url)))
  expect(new Set(submitted.map(({ url }) => url))).toEqual(new Set([near.url]))
  await expectEachOnce()
  mute.close()
})

test("A-03: all engines are down, until one is started again", async () => {
  await Promise.all([near.stop(), far.stop()])
  const submitted = keys.map((key) => send(key, near.url, far.url))
  await far.start()
  for (const { url } of await Promise.all(submitted)) expect(url).toBe(far.url)
  await near.start()
  await expectEachOnce()
})

test("A-35: what was submitted is found by its key, and woken by its event", async () => {
  const [key = ""] = keys
  const definitionId = "blocked"
  await near.client.uploadDefinition({ ...onboarding, id: definitionId })
  await near.client.intake(definitionId, { email: "ada@example.org" }, { key, linkingId: "user-2" })
  const instance = await near.client.getIntake(definitionId, key)
  expect(instance).toMatchObject({ status: "ACTIVE", variables: { email: "ada@example.org" } })
  expect(await near.client.wake("user-2")).toEqual({ woken: 0 })
  const poll = () => near.client.poll({ workerId: "w", jobTypes: [definitionId] })
  const [job] = await poll()
  const failure = { retryable: true, errorMessage: "not yet", retryAfter: 600, leaseToken: job?.leaseToken ?? "" }
  await near.client.fail(job?.id ?? "", { workerId: "w", ...failure })
  expect(await near.client.wake("user-2")).toEqual({ woken: 1 })
  expect(await poll()).toMatchObject([{ instanceId: instance.id, attempt: 2 }])
})
