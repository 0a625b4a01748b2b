// Starts that differ in nothing but their input: one statement writes them, and their rows are those of a start by itself.
import { afterAll, beforeAll, expect, test } from "vitest"
import { createBareKernel } from "../../../test-support/bare-kernel.ts"
import { end, linear, service, step, workflow } from "../../../test-support/definitions.ts"
import { createStatementWatch, type StatementWatch } from "../../../test-support/statement-watch.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { definitionsOf } from "../../definitions/definition-cache.ts"
import { claimJobs } from "../../jobs/claim/claim-jobs.ts"
import { wakeupsOf } from "../../jobs/claim/wakeups.ts"
import type { Kernel } from "../../kernel/kernel.ts"
import { type StartRequest, startInstance } from "./start-instance.ts"

let engine: TestEngine
let watch: StatementWatch
/** Without loops of its own: what goes to the database goes there for a request. */
let kernel: Kernel

beforeAll(async () => {
  engine = await createTestEngine()
  const decided = [
    step("DECISION", "size", { conditionalNextSteps: { "n > 5": "large", "n <= 5": "small" } }),
    service("small", "end"),
    service("large", "end"),
    end(),
  ]
  await engine.upload(linear())
  await engine.upload(workflow("decided", decided))
  await engine.upload(workflow("handed", [service("handed", "end"), end()]))
  watch = await createStatementWatch(engine.dsn)
  kernel = await createBareKernel(watch.dsn, 1)
  await definitionsOf(kernel).latest("handed")
  // The definitions and their queues are known from here on: what starts together is one batch.
  await startEach([
    {},
    { definitionId: "decided", variables: { n: 1 } },
    { definitionId: "decided", variables: { n: 9 } },
  ])
})
afterAll(async () => {
  await kernel.db.close()
  await watch.close()
  await engine.close()
})

const start = (more: Partial<StartRequest> = {}) =>
  startInstance(kernel, { definitionId: "linear", variables: {}, actor: "ann", ...more })

const startEach = async (requests: readonly Partial<StartRequest>[]) =>
  (await Promise.all(requests.map(start))).map(({ instance }) => instance)

/** What is written of an instance, without what is its own: the id, the place in the queue and the time. */
async function rowsOf(id: string) {
  const [row] = await engine.db.script(`select
    (select to_jsonb(i) - '{id,started_at,linking_id}'::text[] from millrace.instances i where i.id = '${id}')::text as instance,
    (select jsonb_agg(to_jsonb(j) - '{instance_id,seq,created_at}'::text[]) from millrace.jobs j where j.instance_id = '${id}')::text as jobs,
    (select jsonb_agg(to_jsonb(a) - '{instance_id,at}'::text[] order by seq) from millrace.trail a where a.instance_id = '${id}')::text as audit`)
  return JSON.parse(JSON.stringify(row).replaceAll(/\\"startedAt\\": \d+/g, "0"))
}

const insertsOf = () => watch.statements.filter((text) => text.includes("insert into"))

test("starts that are alike are written by one statement, each with its own input", async () => {
  watch.forget()
  const instances = await startEach(Array.from({ length: 20 }, (_, n) => ({ variables: { n, ä: '"' } })))
  // On a busy machine they may be two batches.
  expect([1, 2]).toContain(insertsOf().length)
  expect(new Set(instances.map(({ id }) => id)).size).toBe(20)
  const rows = await engine.db.script("select id, input from millrace.instances where input ? 'ä' order by id")
  const stored = rows.map(({ id, input }) => ({ id, variables: JSON.parse(input as string) }))
  expect(stored).toEqual(instances.map(({ id, variables }) => ({ id, variables })))
  expect(stored.map(({ variables }) => variables.n)).toEqual(Array.from({ length: 20 }, (_, n) => n))
})

test("S16: what is written of a start in a batch of alike ones is what is written of one by itself", async () => {
  const [alike] = await startEach([{}, {}])
  watch.forget()
  const [alone] = await startEach([{ linkingId: "its own" }])
  expect(insertsOf().length).toBeGreaterThan(1)
  expect(await rowsOf(alike?.id as string)).toEqual(await rowsOf(alone?.id as string))
  expect({ ...alike, id: 0, startedAt: 0 }).toEqual({ ...alone, id: 0, startedAt: 0, linkingId: undefined })
})

test("SEC-32: the bound of the size of the variables is one that fits the largest, in bytes", async () => {
  const [short, long] = await startEach([{ variables: { a: "aaa" } }, { variables: { a: "ää" } }])
  const boundOf = async (id = "") => {
    const [row] = await engine.db.script(`select state from millrace.instances where id = '${id}'`)
    return JSON.parse(row?.state as string).bytes
  }
  const largest = Buffer.byteLength('{"a":"ää"}')
  expect([await boundOf(short?.id), await boundOf(long?.id)]).toEqual([largest, largest])
})

test("S25: where the plan looks at the variables each start goes its own way", async () => {
  const instances = await startEach([1, 9].map((n) => ({ definitionId: "decided", variables: { n } })))
  expect(instances.map(({ currentStepIds }) => currentStepIds)).toEqual([["small"], ["large"]])
})

test("starts that differ in priority or actor share no plan", async () => {
  const [high, normal] = await startEach([{ priority: "high" }, { actor: "bob" }])
  expect([high?.priority, normal?.priority]).toEqual(["high", "normal"])
  const rows = await engine.db.script(
    `select actor from millrace.trail where seq = 1 and instance_id = any('{${high?.id},${normal?.id}}') order by instance_id`,
  )
  expect(rows.map(({ actor }) => actor)).toEqual(["ann", "bob"])
})

const claimsMade = async () =>
  (await kernel.metrics.registry.metrics()).match(/engine_batch_size_count\{operation="claim"\} (\d+)/)?.[1]

test("C-35: the claim that waits for the job of such a start is handed it, and no other claim is made", async () => {
  const waiting = claimJobs(kernel, { workerId: "w", jobTypes: ["handed"], maxJobs: 10, waitMs: 60_000 })
  while (!wakeupsOf(kernel).waitingFor().includes("handed")) await new Promise((resolve) => setImmediate(resolve))
  const before = await claimsMade()
  const [first, second] = await startEach([{ definitionId: "handed" }, { definitionId: "handed" }])
  expect((await waiting).map(({ instanceId }) => instanceId)).toEqual([first?.id, second?.id])
  expect(await claimsMade()).toBe(before)
})
