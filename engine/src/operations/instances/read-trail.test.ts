// The audit trail on a real database: written row by row, one for each transaction, and read entry by entry.
import { afterAll, beforeAll, expect, test } from "vitest"
import { end, service, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { getAudit } from "./read-instances.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await engine.upload(workflow("told", [service("one", "two"), service("two", "end"), end()]))
})
afterAll(() => engine.close())

const KINDS = [
  "INSTANCE_STARTED",
  "JOB_DISPATCHED",
  "JOB_COMPLETED",
  "JOB_DISPATCHED",
  "JOB_COMPLETED",
  "INSTANCE_COMPLETED",
]

const trail = (id: string, afterSeq = 0) => getAudit(engine.kernel, id, afterSeq)

async function finish(id: string): Promise<void> {
  await worker.complete(await worker.claimOne("one"))
  await worker.complete(await worker.claimOne("two"))
  expect((await trail(id)).map(({ kind }) => kind)).toEqual(KINDS)
}

test("S16: a transaction is one row of the trail, and its entries are numbered on without a gap", async () => {
  const id = await worker.start("told")
  await finish(id)
  const rows = await engine.db.script(`select seq from millrace.audit where instance_id = '${id}' order by seq`)
  expect(rows.map(({ seq }) => seq)).toEqual([1, 3, 5])
  expect((await trail(id)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
})

test("S16: the trail is read on from any entry, also from the middle of a row", async () => {
  const id = await worker.start("told")
  await finish(id)
  const all = await trail(id)
  for (const { seq } of all) expect(await trail(id, seq)).toEqual(all.slice(seq))
})

test("S16: a trail that a version before has begun, with a row for each entry, goes on and is read as one", async () => {
  const id = await worker.start("told")
  const before = await trail(id)
  await engine.db.script(`
    create table public.begun as select * from millrace.trail where instance_id = '${id}';
    delete from millrace.audit where instance_id = '${id}';
    insert into millrace.audit (instance_id, seq, at, actor, kind, detail) select * from public.begun`)
  expect(await trail(id)).toEqual(before)
  await finish(id)
  expect((await trail(id)).map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6])
})
