// Chaining on a real database: the next workflow starts exactly once, or stays pending until it can.
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import type { JsonObject } from "../../support/json.ts"
import { advanceClock } from "../../test-support/database-clock.ts"
import { end, service, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { holdLoops, noTerm } from "../../test-support/loops.ts"
import { openTestCore } from "../../test-support/test-core.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { uploadDefinition } from "../definitions/upload-definition.ts"
import { cancelInstance } from "./change-instance.ts"
import { getAudit, listInstances } from "./read-instances.ts"
import { startChains } from "./start-chains.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await holdLoops(engine.kernel)
  await engine.upload(workflow("child", [service("child", "end"), end()]))
  await engine.upload(parentOf("child", "parent"))
})
afterAll(() => engine.close())

const parentOf = (nextWorkflowId: string, id = `parent-of-${nextWorkflowId}`): JsonObject =>
  workflow(id, [service(id, "end"), end()], { autoStartNextWorkflow: true, nextWorkflowId })

/** Runs a parent to its end. */
async function finish(id: string, variables: JsonObject = {}, businessKey?: string): Promise<string> {
  const parentId = await worker.start(id, variables, businessKey === undefined ? {} : { businessKey })
  await worker.complete(await worker.claimOne(id), { done: true })
  return parentId
}

const run = () => startChains(engine.kernel, noTerm)

async function childrenOf(parentId: string): Promise<readonly string[]> {
  const rows = await engine.db.script(`select id from millrace.instances where parent_id = '${parentId}'
    union all select id from millrace.finished_instances where parent_id = '${parentId}'`)
  return rows.map((row) => row.id as string)
}

async function chainOf(parentId: string) {
  const [row] = await engine.db.script(
    `select child_id, failures, last_error from millrace.chains where parent_id = '${parentId}'`,
  )
  return row
}

const aMinute = () => engine.advanceClock(60_000)

test("C-79: the next workflow starts with the variables and the business key, and both know of each other", async () => {
  const parentId = await finish("parent", { amount: 3 }, "order-1")
  expect(await chainOf(parentId)).toMatchObject({ child_id: null })
  await run()
  const [childId] = await childrenOf(parentId)
  expect(await worker.get(childId as string)).toMatchObject({
    definitionId: "child",
    status: "ACTIVE",
    variables: { amount: 3, done: true },
    businessKey: "order-1",
    parentId,
  })
  expect(await chainOf(parentId)).toMatchObject({ child_id: childId, failures: 0 })
  const audit = await getAudit(engine.kernel, parentId, 0)
  expect(audit.at(-1)).toMatchObject({ kind: "CHAIN_STARTED", detail: { childId, definitionId: "child" } })
  expect(audit.map(({ seq }) => seq)).toEqual(audit.map((_, index) => index + 1))
  await cancelInstance(engine.kernel, { instanceId: childId as string, reason: undefined, actor: "local" })
})

test("C-79, F79: failed and cancelled parents start nothing", async () => {
  const failed = await worker.start("parent")
  await worker.fail(await worker.claimOne("parent"), "no", false)
  const cancelled = await worker.start("parent")
  await cancelInstance(engine.kernel, { instanceId: cancelled, reason: undefined, actor: "local" })
  await run()
  for (const id of [failed, cancelled]) expect([await chainOf(id), await childrenOf(id)]).toEqual([undefined, []])
})

test("C-79, S3: 8 workers on one chain, one child", async () => {
  const parents = [await finish("parent"), await finish("parent")]
  const other = await openTestCore(engine.dsn)
  await Promise.all(Array.from({ length: 8 }, (_, n) => startChains(n % 2 ? other.kernel : engine.kernel, noTerm)))
  await run()
  for (const parentId of parents) expect(await childrenOf(parentId)).toHaveLength(1)
  await other.stop()
})

test("C-79: a missing definition leaves it pending without blocking others; its upload heals it", async () => {
  await engine.upload(parentOf("missing"))
  const stuck = await finish("parent-of-missing")
  const fine = await finish("parent")
  await run()
  expect(await chainOf(stuck)).toMatchObject({
    child_id: null,
    failures: 1,
    last_error: expect.stringContaining("missing"),
  })
  expect(await childrenOf(fine)).toHaveLength(1)
  await aMinute()
  await run()
  expect(await chainOf(stuck)).toMatchObject({ failures: 2 })
  await engine.upload(workflow("missing", [service("found", "end"), end()]))
  await aMinute()
  await run()
  expect(await childrenOf(stuck)).toHaveLength(1)
})

test("C-79: a schema that the variables break leaves it pending; a later version heals it, uploaded by whichever process", async () => {
  const inputSchema = { properties: { amount: { type: "integer" } }, required: ["amount"] }
  await engine.upload(workflow("choosy", [service("choosy", "end"), end()], { inputSchema }))
  await engine.upload(parentOf("choosy"))
  const stuck = await finish("parent-of-choosy", { amount: "many" })
  const fine = await finish("parent")
  await run()
  expect(await chainOf(stuck)).toMatchObject({
    child_id: null,
    failures: 1,
    last_error: expect.stringContaining("schema"),
  })
  expect(await childrenOf(fine)).toHaveLength(1)
  const other = await openTestCore(engine.dsn)
  await uploadDefinition(other.kernel, {
    document: workflow("choosy", [service("choosy", "end"), end()]),
    actor: "local",
  })
  await other.stop()
  await aMinute()
  await run()
  const [childId] = await childrenOf(stuck)
  expect(await worker.get(childId as string)).toMatchObject({ definitionVersion: 2, variables: { amount: "many" } })
})

test("C-T7: a next workflow that cannot start is logged as an error, with whose it is", async () => {
  const logged = vi.spyOn(engine.kernel.log, "error")
  await engine.upload(parentOf("nowhere"))
  const parentId = await finish("parent-of-nowhere")
  await run()
  expect(logged).toHaveBeenCalledWith(
    expect.objectContaining({ parentId, definitionId: "nowhere", err: expect.objectContaining({ code: "not-found" }) }),
    expect.any(String),
  )
  logged.mockRestore()
})

test("C-79: a business key that is taken leaves it pending until the key is free", async () => {
  const holder = await worker.start("child", {}, { businessKey: "wanted" })
  const stuck = await finish("parent", {}, "wanted")
  const fine = await finish("parent")
  await run()
  expect(await chainOf(stuck)).toMatchObject({ child_id: null, failures: 1 })
  expect(await childrenOf(fine)).toHaveLength(1)
  await cancelInstance(engine.kernel, { instanceId: holder, reason: undefined, actor: "local" })
  await aMinute()
  await run()
  expect(await childrenOf(stuck)).toHaveLength(1)
})

test("C-79, F79: a crash before the commit leaves it pending and no child behind", async () => {
  const parentId = await finish("parent")
  await engine.db.script(`create function millrace.crash() returns trigger language plpgsql as $$
    begin raise exception 'killed' using errcode = '57P01'; end $$;
    create trigger crash before update on millrace.chains for each row execute function millrace.crash()`)
  await expect(run()).rejects.toMatchObject({ code: "57P01" })
  expect(await childrenOf(parentId)).toEqual([])
  await engine.db.script("drop function millrace.crash cascade")
  await run()
  expect(await childrenOf(parentId)).toHaveLength(1)
})

test("C-79: a child that the database refuses holds up no other", async () => {
  await engine.upload(workflow("refused", [service("refused", "end"), end()]))
  await engine.upload(parentOf("refused"))
  await engine.db.script(`create function millrace.refuse_child() returns trigger language plpgsql as $$
    begin if new.definition_id = 'refused' then raise exception 'no such thing'; end if; return new; end $$;
    create trigger refuse_child before insert on millrace.instances for each row execute function millrace.refuse_child()`)
  const stuck = await finish("parent-of-refused").catch(() => "")
  expect(stuck).not.toBe("")
  const fine = await finish("parent")
  await run()
  expect(await chainOf(stuck)).toMatchObject({ child_id: null, failures: 1 })
  expect(await childrenOf(fine)).toHaveLength(1)
  await engine.db.script("drop function millrace.refuse_child cascade")
})

test("C-79: a leader starts chains by itself, also those an engine left behind when it stopped", async () => {
  const own = await createTestEngine()
  await own.upload(parentOf("orphan-child"))
  const parentId = await drive(own.kernel).start("parent-of-orphan-child")
  await drive(own.kernel).complete(await drive(own.kernel).claimOne("parent-of-orphan-child"))
  await own.core.stop()
  const again = await openTestCore(own.dsn)
  await uploadDefinition(again.kernel, {
    document: workflow("orphan-child", [service("orphan", "end"), end()]),
    actor: "local",
  })
  await advanceClock(again.kernel, 60_000)
  const job = await drive(again.kernel).claimOne("orphan")
  const { items } = await listInstances(again.kernel, { definitionId: "orphan-child", page: 0, pageSize: 10 })
  expect(items).toMatchObject([{ id: job.instanceId, parentId }])
  await again.stop()
})
