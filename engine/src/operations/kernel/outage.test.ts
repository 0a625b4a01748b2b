// When the database is away, or refuses one of many: what callers are told, that nothing is lost, and that all heals by itself.
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest"
import type { Core } from "../../core.ts"
import { parseToken } from "../../model/jobs/reports.ts"
import { createBareKernel } from "../../test-support/bare-kernel.ts"
import { end, service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { countRows } from "../../test-support/rows.ts"
import { createSeverableProxy, type SeverableProxy } from "../../test-support/severable-proxy.ts"
import { openTestCore } from "../../test-support/test-core.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { advance } from "../instances/advance.ts"
import { cancelInstance, signalWait } from "../instances/change-instance.ts"
import { listInstances } from "../instances/read-instances.ts"
import { startInstance } from "../instances/start/start-instance.ts"
import type { ClaimedJob } from "../jobs/claim/claimed-job.ts"
import { heartbeatJob } from "../jobs/claim/heartbeat-job.ts"
import { reportJobs } from "../jobs/end/report-jobs.ts"
import { digestOf } from "./idempotency.ts"
import { asEngineError } from "./run-operation.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await engine.upload(workflow("plain", [service("plain", "end"), end()]))
  await engine.upload(workflow("beats", [service("beats", "end"), end()]))
  await engine.upload(
    workflow("waits", [step("WAIT", "w", { nextStep: "w2" }), step("WAIT", "w2", { nextStep: "end" }), end()]),
  )
})
afterAll(() => engine.close())

/** What a caller is told. */
const refusalOf = (work: Promise<unknown>): Promise<unknown> => work.then(() => "done", asEngineError)
const turn = () => new Promise((resolve) => setImmediate(resolve))

describe("the database goes away", () => {
  let proxy: SeverableProxy
  let core: Core

  beforeAll(async () => {
    proxy = await createSeverableProxy(engine.dsn)
    core = await openTestCore(proxy.dsn, { DB_MAX_CONNS: "6" })
  })
  afterAll(async () => {
    await core.stop()
    await proxy.close()
  })

  test("F25, L4: a database that has gone silent is noticed though it refuses nothing, and taken back when it speaks", async () => {
    const untilHealthy = async (healthy: boolean) => {
      while (core.healthy() !== healthy) await turn()
    }
    await untilHealthy(true)
    proxy.silence()
    await untilHealthy(false)
    proxy.speak()
    await untilHealthy(true)
  })

  test("F33, L4: every call is told to try again, and works again without a restart", async () => {
    const far = drive(core.kernel)
    const id = await far.start("plain")
    const job = await far.claimOne("plain")
    await proxy.sever()
    const calls = [
      () => far.start("plain"),
      () => far.claim(["plain"]),
      () => far.complete(job),
      () => far.get(id),
      () => cancelInstance(core.kernel, { instanceId: id, reason: undefined, actor: "local" }),
      () => listInstances(core.kernel, { page: 0, pageSize: 1 }),
    ]
    for (let round = 0; round < 2; round++)
      for (const call of calls)
        expect(await refusalOf(call())).toMatchObject({ code: "unavailable", retryAfterSeconds: expect.any(Number) })
    while (core.healthy()) await turn()
    await proxy.heal()
    expect(await far.complete(job)).toBe("accepted")
    expect((await far.get(id)).status).toBe("COMPLETED")
    while (!core.healthy()) await turn()
    const next = await far.start("plain")
    expect((await far.claimOne("plain")).instanceId).toBe(next)
  })

  test("F01, F02, F24, S1, S2: a start whose answer was lost is there at most once, and exactly once when it is sent again with its key", async () => {
    for (let round = 0; round < 5; round++) {
      const requestKey = { scope: "POST /v1/instances", key: `lost-${round}`, digest: digestOf({}) }
      const start = () =>
        startInstance(core.kernel, {
          definitionId: "waits",
          variables: {},
          businessKey: `lost-${round}`,
          actor: "local",
          requestKey,
        })
      const first = refusalOf(start())
      for (let n = 0; n < round * 3; n++) await turn()
      await proxy.sever()
      await first
      await proxy.heal()
      while ((await refusalOf(start())) !== "done");
      expect(await countRows(engine.db, "instances", `business_key = 'lost-${round}'`)).toBe(1)
    }
  })

  test("F42: connections that an administrator ends are replaced, and callers are told at most to try again", async () => {
    const far = drive(core.kernel)
    await far.start("plain")
    const ended = await engine.db.script(`select pid, pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name = 'millrace'`)
    for (let n = 0; n < 20; n++) {
      const refusal = await refusalOf(far.start("plain"))
      if (refusal !== "done") expect(refusal).toMatchObject({ code: "unavailable" })
    }
    // On a busy machine one of them may end late.
    const left = `select from pg_stat_activity where pid in (${ended.map(({ pid }) => pid)})`
    await expect.poll(() => engine.db.script(left)).toEqual([])
    expect(await refusalOf(far.start("plain"))).toBe("done")
  })
})

describe("one of many is refused", () => {
  afterEach(() => engine.db.script("drop function if exists millrace.spoil cascade"))

  const spoil = (table: string, column: string, value: string) =>
    engine.db.script(`create function millrace.spoil() returns trigger language plpgsql as $$
      begin if new.${column} = '${value}' then raise exception 'spoilt'; end if; return new; end $$;
      create trigger spoil before insert on millrace.${table} for each row execute function millrace.spoil()`)

  test("a start that the database refuses fails alone", async () => {
    await spoil("instances", "business_key", "bad")
    const keys = Array.from({ length: 20 }, (_, n) => (n === 7 ? "bad" : `good-${n}`))
    const results = await Promise.allSettled(keys.map((businessKey) => worker.start("waits", {}, { businessKey })))
    expect(results.flatMap(({ status }, n) => (status === "rejected" ? [n] : []))).toEqual([7])
    expect(await countRows(engine.db, "instances", "business_key like 'good-%'")).toBe(19)
    expect(await countRows(engine.db, "business_keys", "business_key = 'bad'")).toBe(0)
  })

  test("a report that the database refuses fails alone, and counts when the database takes it", async () => {
    await Promise.all(Array.from({ length: 20 }, () => worker.start("plain")))
    const jobs = await worker.claim(["plain"], 20)
    const bad = jobs[5]
    if (!bad) throw new Error("no job")
    await spoil("history", "instance_id", bad.instanceId)
    const results = await Promise.allSettled(jobs.map((job) => worker.complete(job)))
    expect(results.flatMap(({ status }, n) => (status === "rejected" ? [n] : []))).toEqual([5])
    expect((await worker.get(bad.instanceId)).status).toBe("ACTIVE")
    await engine.db.script("drop function millrace.spoil cascade")
    expect(await worker.complete(bad)).toBe("accepted")
  })

  test("S1: a fault in one of several events of one instance takes back none that was accepted", async () => {
    const id = await worker.start("waits")
    const signal = (stepId: string) =>
      signalWait(engine.kernel, { instanceId: id, stepId, variables: { [stepId]: true }, actor: "local" })
    const fault = () =>
      advance(engine.kernel, {
        instanceId: id,
        decide: () => {
          throw new Error("a bug of ours")
        },
      })
    const results = await Promise.allSettled([signal("w"), fault(), signal("w2")])
    expect(results.map(({ status }) => status)).toEqual(["fulfilled", "rejected", expect.any(String)])
    const { variables } = await worker.get(id)
    expect(variables.w).toBe(true)
    expect(variables.w2 === true).toBe(results[2]?.status === "fulfilled")
  })

  test("F21: an instance that somebody holds lets its neighbours pass, and follows when it is free", async () => {
    const ids = await Promise.all(Array.from({ length: 10 }, () => worker.start("plain")))
    const jobs = (await worker.claim(["plain"], 100)).filter((job) => ids.includes(job.instanceId))
    const [first, ...rest] = jobs
    if (!first) throw new Error("no job")
    const holder = await engine.db.dedicated()
    // As a caller's own transaction does that has reported on the job and goes on with other work.
    await holder.query(`begin; select from millrace.instances where id = '${first.instanceId}' for update;
      select from millrace.jobs where instance_id = '${first.instanceId}' for update`)
    // It waits for as long as a request may. Where its neighbours take longer, its caller is told to try again, and does.
    const held = worker.complete(first).catch((error) => {
      expect(asEngineError(error)).toMatchObject({ code: "unavailable" })
      return worker.complete(first)
    })
    expect(await Promise.all(rest.map((job) => worker.complete(job)))).toEqual(rest.map(() => "accepted"))
    expect((await worker.get(first.instanceId)).status).toBe("ACTIVE")
    await holder.query("rollback")
    holder.release()
    expect(await held).toBe("accepted")
  })

  test("F21, F40: a job that somebody holds keeps no other's heartbeat waiting", async () => {
    await Promise.all(Array.from({ length: 3 }, () => worker.start("beats")))
    const [first, ...rest] = await worker.claim(["beats"], 3)
    if (!first) throw new Error("no job")
    const beat = (job: ClaimedJob) =>
      heartbeatJob(engine.kernel, { jobId: job.id, workerId: "w1", token: parseToken(job.leaseToken), leaseMs: 60_000 })
    const holder = await engine.db.dedicated()
    await holder.query(`begin; select from millrace.jobs where instance_id = '${first.instanceId}' for update`)
    const held = refusalOf(beat(first))
    for (const until of await Promise.all(rest.map(beat))) expect(until).toBeGreaterThan(first.lockExpiresAt)
    expect(await held).toMatchObject({ code: "unavailable" })
    await holder.query("rollback")
    holder.release()
    expect(await beat(first)).toBeGreaterThan(first.lockExpiresAt)
  })

  test("F21: an instance that stays held is answered with try again, and nothing of it is changed", async () => {
    const id = await worker.start("waits")
    const holder = await engine.db.dedicated()
    await holder.query(`begin; select from millrace.instances where id = '${id}' for update`)
    const signal = () => signalWait(engine.kernel, { instanceId: id, stepId: "w", variables: {}, actor: "local" })
    expect(await refusalOf(signal())).toMatchObject({ code: "unavailable" })
    await holder.query("rollback")
    holder.release()
    expect((await worker.get(id)).currentStepIds).toEqual(["w"])
    await signal()
  })

  test("a refusal costs no connection", async () => {
    const id = await worker.start("waits")
    const kernel = await createBareKernel(engine.dsn, 1)
    const only = async () => (await kernel.db.script("select pg_backend_pid() as pid"))[0]?.pid
    const before = await only()
    for (let n = 0; n < 20; n++) {
      const requestKey = { scope: "x", key: `refused-${n}`, digest: digestOf({}) }
      await expect(
        signalWait(kernel, { instanceId: id, stepId: "w2", variables: {}, actor: "local", requestKey }),
      ).rejects.toMatchObject({ code: "conflict" })
    }
    expect(await only()).toBe(before)
    expect(await reportJobs(kernel, [])).toEqual([])
    await kernel.db.close()
  })
})
