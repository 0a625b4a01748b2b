// Submissions that meet: the same key at several engines at once, an open transaction that holds it, a newer definition.
import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { takeIntake } from "../../../operations/instances/start/take-intake.ts"
import { asEngineError } from "../../../operations/kernel/run-operation.ts"
import { linear, service, workflow } from "../../../test-support/definitions.ts"
import { countRows } from "../../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { createTestServer, type TestServer } from "../../rest/test-support/test-server.ts"

let engine: TestEngine
const others: TestEngine[] = []
/** Three engines on one database, each behind a door of its own. */
const regions: TestServer[] = []

beforeAll(async () => {
  engine = await createTestEngine()
  for (let n = 0; n < 2; n++) others.push(await createTestEngine({ WE_POSTGRES_DSN: engine.dsn }))
  for (const one of [engine, ...others]) regions.push(await createTestServer({ engine: one }))
  await engine.upload(workflow("onboarding", [service("first")], { execution: "steplist" }))
  await engine.upload(linear())
})
afterAll(async () => {
  for (const region of regions) await region.close()
  for (const one of [...others, engine]) await one.close()
})

const send = (region: TestServer, definitionId: string, key: string, body: object = {}) =>
  region.call(`POST /v1/intake/${definitionId}`, { body, headers: { "idempotency-key": key } })
/** One that has cached what it knows, while the first engine is told of something newer. */
const second = () => regions[1] as TestServer

describe.each(["onboarding", "linear"])("A-T1: hedged to three engines at once: %s", (definitionId) => {
  test("A-T1, A-09: every key is there once, with one job, and every answer is 202", async () => {
    const keys = Array.from({ length: 60 }, () => randomUUID())
    // Each engine gets them in another order, and some of them twice.
    const sent = regions.flatMap((region, n) => {
      const mine = [...keys, ...keys.slice(0, 20)]
      mine.sort((a, b) => (a.slice(n) < b.slice(n) ? -1 : 1))
      return mine.map((key) => send(region, definitionId, key, { from: n }))
    })
    const replies = await Promise.all(sent)
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([202]))
    const list = keys.map((key) => `'${key}'`).join()
    const [row] = await engine.db.script(`select count(*)::int as keys, count(distinct k.instance_id)::int as instances,
      count(i.id)::int as live, count(j.instance_id)::int as jobs
      from millrace.intake_keys k left join millrace.instances i on i.id = k.instance_id
      left join millrace.jobs j on j.instance_id = i.id where k.key in (${list})`)
    expect(row).toEqual({ keys: 60, instances: 60, live: 60, jobs: 60 })
    expect(await countRows(engine.db, "instances", `definition_id = '${definitionId}'`)).toBe(60)
    for (const region of regions) expect(region.lines.filter(({ level }) => level !== "info")).toEqual([])
  })
})

test("A-07: a key that an open transaction holds keeps its batch for seconds at most, and is told to come back", async () => {
  const [held, free] = [randomUUID(), randomUUID()]
  const take = (key: string) =>
    takeIntake(engine.kernel, { definitionId: "onboarding", key, payload: "{}", actor: "local" }).then(
      () => "taken in",
      asEngineError,
    )
  const holder = await engine.db.dedicated()
  await holder.query(`begin; insert into millrace.intake_keys values ('onboarding', '${held}', 'x')`)
  const refusal = { code: "unavailable", retryAfterSeconds: 1 }
  expect(await Promise.all([take(held), take(free)])).toEqual([expect.objectContaining(refusal), "taken in"])
  await holder.query("rollback")
  holder.release()
  expect(await take(held)).toBe("taken in")
})

test("a newer version that another engine has taken is used, not stumbled over", async () => {
  const key = randomUUID()
  await send(second(), "linear", randomUUID())
  await engine.upload({ ...linear(), name: "newer" })
  expect((await send(second(), "linear", key)).status).toBe(202)
  expect((await second().call(`GET /v1/intake/linear/${key}`)).body.definitionVersion).toBe(2)
})

test("a start of a list that another engine has a newer version of takes that one", async () => {
  const steps = [service("deployed")]
  const list = (name: string) => engine.upload({ ...workflow("deployed", steps, { execution: "steplist" }), name })
  const start = () => second().call("POST /v1/instances", { body: { definitionId: "deployed" } })
  await list("first")
  expect((await start()).body.definitionVersion).toBe(1)
  await list("second")
  expect((await start()).body.definitionVersion).toBe(2)
})

test("a graph that has become a list is started as the list it is", async () => {
  const key = randomUUID()
  const steps = [service("a")]
  await engine.upload(workflow("turned", steps, {}))
  await send(second(), "turned", randomUUID())
  await engine.upload(workflow("turned", steps, { execution: "steplist" }))
  expect((await send(second(), "turned", key, { n: 1 })).status).toBe(202)
  const { body: run } = await second().call(`GET /v1/intake/turned/${key}`)
  expect(run).toMatchObject({ definitionVersion: 2, currentStepIds: ["a"], variables: { n: 1 } })
  expect((await second().call(`GET /v1/instances/${run.id}/steps`)).body.form).toBe("list")
})
