// The verbs as SQL functions: asked for in anybody's transaction, done once after its commit, and never when there is none.
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest"
import type { Core } from "../../core.ts"
import type { Row } from "../../db/train.ts"
import { isUlid, ulidAt } from "../../support/ids.ts"
import { end, service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { holdLoops, noTerm } from "../../test-support/loops.ts"
import { auditKinds, countRows } from "../../test-support/rows.ts"
import { openTestCore } from "../../test-support/test-core.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { keepHouse } from "../upkeep/keep-house.ts"
import { getAudit } from "./read-instances.ts"
import { runRequests } from "./run-requests.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await holdLoops(engine.kernel)
  await engine.upload(workflow("ship", [service("ship", "end"), end()]))
  await engine.upload(workflow("waits", [step("WAIT", "paid", { nextStep: "end" }), end()]))
  await engine.upload(workflow("asks", [step("USER_TASK", "review", { nextStep: "end" }), end()]))
  await engine.db.script(`create table orders (id text primary key, amount integer, instance_id text);
    create function start_shipping() returns trigger language plpgsql as $$
    begin
      new.instance_id := millrace.start('ship', jsonb_build_object('amount', new.amount), business_key => new.id);
      return new;
    end $$;
    create trigger start_shipping before insert on orders for each row execute function start_shipping()`)
})
beforeEach(() => engine.db.script("delete from millrace.requests"))
afterAll(() => engine.close())

/** As the loop does: until nothing is due. */
async function run(): Promise<number> {
  let total = 0
  for (let count = -1; count !== 0; total += count) count = await runRequests(engine.kernel, noTerm)
  return total
}
const ask = async (call: string): Promise<string> =>
  (await engine.db.script(`select ${call} as answer`))[0]?.answer as string
const requests = (): Promise<Row[]> =>
  engine.db.script("select verb, failures, last_error, set_aside_at, next_at from millrace.requests order by seq")
const aMinute = () => engine.advanceClock(60_000)

test("S1: a trigger on a business table starts an instance whose id it has at once; a rollback starts none", async () => {
  await engine.db.script("begin; insert into orders (id, amount) values ('gone', 1); rollback")
  expect(await run()).toBe(0)
  const [order] = await engine.db.script("insert into orders (id, amount) values ('o-1', 42) returning instance_id")
  const id = order?.instance_id as string
  await expect(worker.get(id)).rejects.toMatchObject({ code: "not-found" })
  expect(await run()).toBe(1)
  expect(await worker.get(id)).toMatchObject({ definitionId: "ship", variables: { amount: 42 }, businessKey: "o-1" })
  expect((await getAudit(engine.kernel, id, 0))[0]).toMatchObject({ kind: "INSTANCE_STARTED", actor: "sql:millrace" })
  expect(await worker.complete(await worker.claimOne("ship"))).toBe("accepted")
  expect([await countRows(engine.db, "requests"), await run()]).toEqual([0, 0])
})

test("ids are made as everywhere: of the database's time, and never the same", async () => {
  const [row] = await engine.db.script(`select array(select millrace.new_id() from generate_series(1, 1000)) as ids,
    floor(extract(epoch from millrace.clock()) * 1000)::bigint as now`)
  const ids = row?.ids as string[]
  const now = row?.now as number
  expect(ids.every(isUlid)).toBe(true)
  expect(new Set(ids).size).toBe(1000)
  for (const id of ids) expect(id >= ulidAt(now - 1_000) && id < ulidAt(now + 1)).toBe(true)
})

test("all that one transaction asks for is done in its order", async () => {
  const started = await ask("millrace.start('waits', '{\"a\": 1}', linking_id => 'visit-1', priority => 'high')")
  await engine.db.script(`begin; select millrace.signal('${started}', 'paid', '{"by": "card"}');
    select millrace.start('ship', business_key => 'second'); commit`)
  const asked = await worker.start("asks")
  const stale = await worker.start("waits")
  await ask(`millrace.complete_user_task('${asked}', 'review', '{"fine": true}', completed_by => 'ada')`)
  await ask(`millrace.cancel('${stale}', 'superseded')`)
  expect(await run()).toBe(5)
  expect(await worker.get(started)).toMatchObject({
    status: "COMPLETED",
    variables: { a: 1, by: "card" },
    priority: "high",
    linkingId: "visit-1",
  })
  expect(await worker.get(asked)).toMatchObject({ status: "COMPLETED", variables: { fine: true } })
  expect(await worker.get(stale)).toMatchObject({ status: "CANCELLED", failureReason: "superseded" })
  expect(await countRows(engine.db, "business_keys", "business_key = 'second'")).toBe(1)
})

test("A-07: a repeated key gives the first id, also within one transaction, and starts nothing more", async () => {
  const first = await ask("millrace.start('ship', key => 'order-7')")
  expect(await ask("millrace.start('ship', '{\"other\": true}', key => 'order-7')")).toBe(first)
  expect(await ask("millrace.start('waits', key => 'order-7')")).not.toBe(first)
  await engine.db.script("begin; select millrace.start('ship', key => 'gone'); rollback")
  expect(await run()).toBe(2)
  expect(await ask("millrace.start('ship', key => 'order-7')")).toBe(first)
  expect(isUlid(await ask("millrace.start('ship', key => 'gone')"))).toBe(true)
  expect(await run()).toBe(1)
})

test("S3: 8 runs in two processes, each request done once", async () => {
  const ids = await Promise.all(Array.from({ length: 20 }, () => ask("millrace.start('ship')")))
  const other = await openReplica(engine.dsn)
  await Promise.all(Array.from({ length: 8 }, (_, n) => runRequests(n % 2 ? other.kernel : engine.kernel, noTerm)))
  await run()
  for (const id of ids) {
    expect((await auditKinds(engine.db, id)).filter((kind) => kind === "INSTANCE_STARTED")).toHaveLength(1)
  }
  await other.stop()
})

const openReplica = (dsn: string): Promise<Core> => openTestCore(dsn)

test("a request that cannot be done holds up no other, and heals when what it misses comes", async () => {
  const early = await ask("millrace.start('late')")
  await ask(`millrace.signal('${early}', 'paid')`)
  const fine = await ask("millrace.start('ship')")
  expect(await run()).toBe(3)
  expect(await worker.get(fine)).toMatchObject({ status: "ACTIVE" })
  const missing = { failures: 1, set_aside_at: null }
  expect(await requests()).toMatchObject([
    { ...missing, verb: "start", last_error: "there is no definition late" },
    { ...missing, verb: "signal", last_error: `there is no instance ${early}` },
  ])
  await engine.upload(workflow("late", [step("WAIT", "paid", { nextStep: "end" }), end()]))
  await aMinute()
  expect(await run()).toBe(2)
  expect(await worker.get(early)).toMatchObject({ status: "COMPLETED" })
})

test("one that stays impossible is put off for longer and longer, then set aside with its error, and can be asked for again", async () => {
  await worker.start("ship", {}, { businessKey: "held" })
  const id = await ask("millrace.start('ship', business_key => 'held')")
  const delays: number[] = []
  while ((await requests())[0]?.set_aside_at === null) {
    const [clock] = await engine.db.script("select millrace.clock() as now")
    await run()
    delays.push(Math.round((((await requests())[0]?.next_at as number) - (clock?.now as number)) / 1_000))
    await aMinute()
  }
  expect(delays).toEqual([1, 2, 4, 8, 16, 32, 60, 60, 60, 60, 60, 60])
  expect(await requests()).toMatchObject([{ failures: 12, last_error: expect.stringContaining("business key held") }])
  await engine.db.script("delete from millrace.business_keys where business_key = 'held'")
  expect(await run()).toBe(0)
  await engine.db.script("update millrace.requests set set_aside_at = null, failures = 0")
  expect(await run()).toBe(1)
  expect(await worker.get(id)).toMatchObject({ businessKey: "held" })
})

test("F21: what somebody holds is come back to: the others are done meanwhile", async () => {
  const held = await worker.start("waits")
  const holder = await engine.db.dedicated()
  await holder.query(`begin; select from millrace.instances where id = '${held}' for update;
    insert into millrace.business_keys values ('ship', 'taken', 'somebody')`)
  for (let n = 0; n < 3; n++) await ask(`millrace.signal('${held}', 'paid')`)
  await ask("millrace.start('ship', business_key => 'taken')")
  const fine = await ask("millrace.start('ship')")
  expect(await run()).toBe(5)
  expect(await worker.get(fine)).toMatchObject({ status: "ACTIVE" })
  await holder.query("rollback")
  holder.release()
  await aMinute()
  await run()
  expect(await worker.get(held)).toMatchObject({ status: "COMPLETED" })
})

test("F79: a crash before the commit leaves the request, and nothing of what it asked for", async () => {
  const id = await ask("millrace.start('ship')")
  await engine.db.script(`create function millrace.crash() returns trigger language plpgsql as $$
    begin raise exception 'killed' using errcode = '57P01'; end $$;
    create trigger crash before insert on millrace.audit for each row execute function millrace.crash()`)
  await expect(run()).rejects.toMatchObject({ code: "57P01" })
  await engine.db.script("drop function millrace.crash cascade")
  await expect(worker.get(id)).rejects.toMatchObject({ code: "not-found" })
  expect(await requests()).toMatchObject([{ failures: 0 }])
  expect(await run()).toBe(1)
  expect(await worker.get(id)).toMatchObject({ status: "ACTIVE" })
})

test.each([
  ["millrace.start('ship', '[1]')", "variables must be a JSON object"],
  ["millrace.start(null)", "a definition id is needed"],
  ["millrace.signal('x', 'paid', '3')", "payload must be a JSON object"],
  ["millrace.cancel(null)", "an instance id is needed"],
  ["millrace.start('ship', key => E'a\\nb')", "key must not have control characters"],
  ["millrace.start('ship', business_key => E'a\\x1b')", "business_key must not have control characters"],
  ["millrace.start('ship', linking_id => U&'a\\0085')", "linking_id must not have control characters"],
  ["millrace.signal('x', E'pa\\tid')", "name must not have control characters"],
  ["millrace.complete_user_task('x', 'ask', '{}', E'ada\\r')", "completed_by must not have control characters"],
])("C-21: %s is refused where it is called", async (call, message) => {
  await expect(ask(call)).rejects.toThrow(message)
})

test("C-21: what only the engine can judge is put off with its reason: a priority, a number that would be rounded, an id", async () => {
  await ask("millrace.start('ship', priority => 'huge')")
  await ask(`millrace.start('ship', '{"n": 12345678901234567890}')`)
  await ask("millrace.cancel('nobody')")
  await run()
  expect((await requests()).map((row) => row.last_error)).toEqual([
    expect.stringContaining("critical, high, normal"),
    expect.stringContaining("$.variables.n"),
    "there is no instance nobody",
  ])
})

test("C-128: what was set aside is forgotten with everything else of its time", async () => {
  await engine.db.script(`insert into millrace.requests (verb, instance_id, arguments, actor, created_at, next_at, set_aside_at)
    select 'cancel', 'x', '{}', 'sql', at, at, at from (values (millrace.clock()), (millrace.clock() - interval '31 days')) t (at)`)
  await keepHouse(engine.kernel)
  expect(await countRows(engine.db, "requests")).toBe(1)
})

test("C-125: two replicas are up, one of them leads: what anybody asks for is done, once", async () => {
  const own = await createTestEngine()
  const replica = await openReplica(own.dsn)
  await own.upload(workflow("ship", [service("ship", "end"), end()]))
  const [row] = await own.db.script("select millrace.start('ship') as id")
  const job = await drive(replica.kernel).claimOne("ship")
  expect(job.instanceId).toBe(row?.id)
  expect(await countRows(own.db, "instances")).toBe(1)
  await replica.stop()
  await own.close()
})
