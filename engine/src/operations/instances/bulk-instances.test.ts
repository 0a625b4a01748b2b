// Bulk operations on a real database: what matches is counted at once, worked off once, and followed by its id.
import { afterAll, beforeAll, expect, test, vi } from "vitest"
import { end, service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { holdLoops, noTerm } from "../../test-support/loops.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { type BulkRequest, createBulk, getBulk, runBulk } from "./bulk-instances.ts"
import { getAudit, listInstances } from "./read-instances.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

async function define(id: string, more = {}): Promise<void> {
  await engine.upload(workflow(id, [service(id, "end", more), end()]))
}

const startMany = async (id: string, count: number) => {
  const ids: string[] = []
  for (let n = 0; n < count; n++) ids.push(await worker.start(id))
  return ids
}

async function bulk(request: Partial<BulkRequest>): Promise<string> {
  const base = { action: "cancel", filter: {}, dryRun: false, reason: "cleaning up", actor: "ann" } as const
  return (await createBulk(engine.kernel, { ...base, ...request })).outcome.id
}

async function work(): Promise<void> {
  while ((await runBulk(engine.kernel, noTerm)) > 0);
}

const statusesOf = async (ids: readonly string[]) => Promise.all(ids.map(async (id) => (await worker.get(id)).status))

test("cancels what matches the filter and nothing else, with its reason and its actor", async () => {
  await define("one")
  await define("two")
  const [ones, twos] = [await startMany("one", 5), await startMany("two", 2)]
  const id = await bulk({ filter: { definitionId: "one" } })
  expect(await getBulk(engine.kernel, id)).toMatchObject({ matched: 5, done: 0, failed: 0, finished: false })
  const later = await worker.start("one")
  await work()
  expect(await getBulk(engine.kernel, id)).toMatchObject({
    matched: 5,
    done: 5,
    failed: 0,
    finished: true,
    finishedAt: expect.any(String),
  })
  expect(new Set(await statusesOf(ones))).toEqual(new Set(["CANCELLED"]))
  expect(new Set(await statusesOf([...twos, later]))).toEqual(new Set(["ACTIVE"]))
  const audit = await getAudit(engine.kernel, ones[0] as string, 0)
  expect(audit.at(-1)).toMatchObject({ kind: "INSTANCE_CANCELLED", actor: "ann", detail: { reason: "cleaning up" } })
})

test("a dry run counts and changes nothing", async () => {
  await define("dry")
  const ids = await startMany("dry", 3)
  const id = await bulk({ filter: { definitionId: "dry" }, dryRun: true })
  await work()
  expect(await getBulk(engine.kernel, id)).toMatchObject({
    matched: 3,
    done: 0,
    failed: 0,
    dryRun: true,
    finished: true,
  })
  expect(new Set(await statusesOf(ids))).toEqual(new Set(["ACTIVE"]))
})

test("filters are ANDed: status, version, business key and time", async () => {
  await engine.upload(workflow("picky", [step("WAIT", "w", { nextStep: "end" }), end()]))
  const waiting = await worker.start("picky", {}, { businessKey: "k1" })
  await define("picky")
  const active = await worker.start("picky", {}, { businessKey: "k2" })
  const matched = async (filter: BulkRequest["filter"]) =>
    (await getBulk(engine.kernel, await bulk({ filter: { definitionId: "picky", ...filter }, dryRun: true }))).matched
  expect(await matched({})).toBe(2)
  expect(await matched({ status: "WAITING" })).toBe(1)
  expect(await matched({ version: 2 })).toBe(1)
  expect(await matched({ businessKey: "k1", version: 2 })).toBe(0)
  expect(await matched({ startedBefore: Date.parse((await worker.get(waiting)).startedAt) - 1_000 })).toBe(0)
  expect(await matched({ startedAfter: Date.parse((await worker.get(waiting)).startedAt) - 1_000 })).toBe(2)
  await bulk({ filter: { definitionId: "picky", status: "WAITING" } })
  await work()
  expect(await statusesOf([waiting, active])).toEqual(["CANCELLED", "ACTIVE"])
})

test("retries what failed alike, and counts those that cannot be", async () => {
  await define("broken")
  const ids = await startMany("broken", 4)
  for (const [n, job] of (await worker.claim(["broken"], 4)).entries())
    await worker.fail(job, n < 3 ? `no route to host ${n}` : "wrong colour", false)
  const { items } = await listInstances(engine.kernel, {
    definitionId: "broken",
    status: "FAILED",
    page: 0,
    pageSize: 10,
  })
  const [row] = await engine.db.script(`select failure from millrace.finished_instances where id = '${ids[0]}'`)
  expect(items).toHaveLength(4)
  const id = await bulk({ action: "retry", filter: { definitionId: "broken", failure: row?.failure as string } })
  expect((await getBulk(engine.kernel, id)).matched).toBe(3)
  // One of them has nothing left to go on from.
  await engine.db.script(`update millrace.finished_instances set state = null where id = '${ids[1]}'`)
  await work()
  expect(await getBulk(engine.kernel, id)).toMatchObject({ matched: 3, done: 2, failed: 1, finished: true })
  expect(await statusesOf(ids)).toEqual(["ACTIVE", "FAILED", "ACTIVE", "FAILED"])
})

test("the log names each reason once, with some of those that were left for it", async () => {
  await define("stuck")
  const ids = await startMany("stuck", 13)
  for (const job of await worker.claim(["stuck"], 13)) await worker.fail(job, "broken", false)
  await engine.db.script("update millrace.finished_instances set state = null where definition_id = 'stuck'")
  const warned = vi.spyOn(engine.kernel.log, "warn")
  const id = await bulk({ action: "retry", filter: { definitionId: "stuck" } })
  await work()
  const told = warned.mock.calls.filter(([fields]) => (fields as { bulkId?: string }).bulkId === id)
  warned.mockRestore()
  expect(await getBulk(engine.kernel, id)).toMatchObject({ done: 0, failed: 13, finished: true })
  expect(told).toEqual([
    [
      {
        bulkId: id,
        action: "retry",
        reason: expect.stringMatching(/^the instance is FAILED/),
        ids: ids.slice(0, 10),
        count: 13,
      },
      "bulk: some were left as they were",
    ],
  ])
})

test("a crash in the middle counts nothing twice, and the rest is done afterwards", async () => {
  await define("crashing")
  const ids = await startMany("crashing", 6)
  const id = await bulk({ filter: { definitionId: "crashing" } })
  await engine.db.script(`create function millrace.crash() returns trigger language plpgsql as $$
    begin if old.id = '${ids[3]}' then raise exception 'killed' using errcode = '57P01'; end if; return old; end $$;
    create trigger crash before delete on millrace.instances for each row execute function millrace.crash()`)
  await expect(work()).rejects.toMatchObject({ code: "57P01" })
  expect(await getBulk(engine.kernel, id)).toMatchObject({ done: 3, failed: 0, finished: false })
  await engine.db.script("drop function millrace.crash cascade")
  await work()
  expect(await getBulk(engine.kernel, id)).toMatchObject({ matched: 6, done: 6, failed: 0, finished: true })
  for (const instanceId of ids) {
    const kinds = (await getAudit(engine.kernel, instanceId, 0)).map(({ kind }) => kind)
    expect(kinds.filter((kind) => kind === "INSTANCE_CANCELLED")).toHaveLength(1)
  }
})

test("after a crash what had failed before is not counted again", async () => {
  await define("half")
  const ids = await startMany("half", 4)
  for (const job of await worker.claim(["half"], 4)) await worker.fail(job, "broken", false)
  await engine.db.script(`update millrace.finished_instances set state = null where id = '${ids[0]}'`)
  const id = await bulk({ action: "retry", filter: { definitionId: "half" } })
  await engine.db.script(`create function millrace.crash() returns trigger language plpgsql as $$
    begin if new.id = '${ids[2]}' then raise exception 'killed' using errcode = '57P01'; end if; return new; end $$;
    create trigger crash before insert on millrace.instances for each row execute function millrace.crash()`)
  await expect(work()).rejects.toMatchObject({ code: "57P01" })
  expect(await getBulk(engine.kernel, id)).toMatchObject({ done: 1, failed: 1, finished: false })
  await engine.db.script("drop function millrace.crash cascade")
  await work()
  expect(await getBulk(engine.kernel, id)).toMatchObject({ matched: 4, done: 3, failed: 1, finished: true })
})

test("an instance that the database refuses is counted as failed and holds up no other", async () => {
  await define("spoilt")
  const ids = await startMany("spoilt", 3)
  await engine.db.script(`create function millrace.spoil() returns trigger language plpgsql as $$
    begin if old.id = '${ids[0]}' then raise exception 'spoilt'; end if; return old; end $$;
    create trigger spoil before delete on millrace.instances for each row execute function millrace.spoil()`)
  const id = await bulk({ filter: { definitionId: "spoilt" } })
  await work()
  await engine.db.script("drop function millrace.spoil cascade")
  expect(await getBulk(engine.kernel, id)).toMatchObject({ done: 2, failed: 1, finished: true })
})

test("more than a page is worked off to the end, by the leader alone", async () => {
  await define("many")
  await Promise.all(Array.from({ length: 230 }, () => worker.start("many")))
  const id = await bulk({ filter: { definitionId: "many" } })
  const stale = async () => {
    throw Object.assign(new Error("another process leads bulk"), { code: "MR002" })
  }
  await expect(runBulk(engine.kernel, stale)).rejects.toMatchObject({ code: "MR002" })
  expect(await getBulk(engine.kernel, id)).toMatchObject({ done: 0, failed: 0 })
  await work()
  expect(await getBulk(engine.kernel, id)).toMatchObject({ matched: 230, done: 230, failed: 0, finished: true })
  await expect(getBulk(engine.kernel, "nonsense")).rejects.toMatchObject({ code: "not-found" })
})
