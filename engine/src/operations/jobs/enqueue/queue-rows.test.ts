// What is promised of the queue besides its routes: leases that are seen, completions in one piece, loops that go on.

import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { LoopRunner } from "../../../services/loop-runner.ts"
import { drive } from "../../../test-support/drive.ts"
import { createTestEngine, type TestEngine } from "../../../test-support/test-engine.ts"
import { claimJobs, claims } from "../claim/claim-jobs.ts"
import { heartbeatJob } from "../claim/heartbeat-job.ts"
import { wakeupsOf } from "../claim/wakeups.ts"
import { getJob } from "../read-jobs.ts"
import { type EnqueueRequest, enqueueJob } from "./enqueue-job.ts"

let engine: TestEngine

beforeAll(async () => {
  engine = await createTestEngine()
})
afterAll(() => engine.close())

const enqueue = async (jobType: string, more: Partial<EnqueueRequest> = {}): Promise<string> => {
  const request = { jobType, payload: {}, whenFull: "refuse" as const, actor: "local", ...more }
  return (await enqueueJob(engine.kernel, request)).job.id
}

const rowsOf = (id: string) =>
  engine.db.script(
    `select (select status from millrace.jobs where instance_id = '${id}') as live,
       (select status from millrace.history where instance_id = '${id}') as ended`,
  )

describe("leases", () => {
  test("D-16: a claimed job stays there, leased and visible as such; nobody else gets it; its completion takes it away", async () => {
    const id = await enqueue("visible")
    const worker = drive(engine.kernel)
    const job = await worker.claimOne("visible")
    expect(await rowsOf(id)).toEqual([{ live: "leased", ended: null }])
    expect(await getJob(engine.kernel, id)).toMatchObject({ status: "RUNNING", workerId: "w1" })
    expect(await worker.claim(["visible"])).toEqual([])
    await worker.complete(job)
    expect(await rowsOf(id)).toEqual([{ live: null, ended: "COMPLETED" }])
  })

  test("D-16: an idle worker waits without asking", async () => {
    await drive(engine.kernel).claim(["idle"])
    const waiting = claimJobs(engine.kernel, { workerId: "w", jobTypes: ["idle"], maxJobs: 1, waitMs: 20_000 })
    await expect.poll(() => wakeupsOf(engine.kernel).waitingFor()).toContain("idle")
    const asked = vi.spyOn(claims(engine.kernel), "submit")
    const id = await enqueue("idle")
    expect(await waiting).toMatchObject([{ id }])
    expect(asked).not.toHaveBeenCalled()
    asked.mockRestore()
  })

  test("D-X7: the state and the end of the lease are one commit: a completion that fails leaves the job leased, and can be sent again", async () => {
    const id = await enqueue("atomic")
    const worker = drive(engine.kernel)
    const job = await worker.claimOne("atomic")
    await engine.db.script("alter table millrace.history add constraint no_more check (step_id <> 'atomic') not valid")
    await expect(worker.complete(job, { done: 1 })).rejects.toThrow()
    expect(await rowsOf(id)).toEqual([{ live: "leased", ended: null }])
    await engine.db.script("alter table millrace.history drop constraint no_more")
    expect(await worker.complete(job, { done: 1 })).toBe("accepted")
    expect(await getJob(engine.kernel, id)).toMatchObject({ status: "COMPLETED", result: '{"done":1}' })
  })

  test("D-X9: a heartbeat has a connection of its own: it comes through while the job's own work holds one", async () => {
    const id = await enqueue("busy", { timeoutMs: 600_000 })
    await drive(engine.kernel).claimOne("busy")
    const connection = await engine.db.dedicated()
    await connection.query("begin; select pg_advisory_xact_lock(77)")
    const until = await heartbeatJob(engine.kernel, { jobId: id, workerId: "w1", token: undefined, leaseMs: 60_000 })
    expect(until).toBeGreaterThan(engine.kernel.clock.nowMs() + 50_000)
    await connection.query("rollback")
    connection.release()
  })
})

describe("the queue and its numbers", () => {
  test("D-T12: an accepted job is really in its priority, and the depth follows it in and out", async () => {
    const depth = async () => {
      const [row] = await engine.db.script(
        `select (coalesce((select sum(live) from millrace.depths), 0) + coalesce((select sum(delta) from millrace.depth_deltas), 0))::int as n`,
      )
      return row?.n as number
    }
    const before = await depth()
    const id = await enqueue("counted", { priority: "critical" })
    const [row] = await engine.db.script(
      `select q.priority, j.status from millrace.jobs j join millrace.queues q on q.id = j.queue_id where j.instance_id = '${id}'`,
    )
    expect(row).toEqual({ priority: "critical", status: "ready" })
    expect(await depth()).toBe(before + 1)
    const worker = drive(engine.kernel)
    await worker.complete(await worker.claimOne("counted"))
    expect(await depth()).toBe(before)
  })

  test("D-X10: the row is the queue: there is no second write that a crash could leave out", async () => {
    const id = await enqueue("single")
    expect(await drive(engine.kernel).claimOne("single")).toMatchObject({ id })
  })
})

describe("loops", () => {
  test("D-33: a loop that fails is told of, and runs again; stopping it interrupts its wait", async () => {
    const errors: unknown[] = []
    let runs = 0
    const tick = async () => {
      runs += 1
      if (runs === 1) throw new Error("the database went away")
      return false
    }
    const runner = new LoopRunner(tick, (error) => errors.push(error))
    runner.dueIn(0)
    await expect.poll(() => errors).toHaveLength(1)
    runner.dueIn(0)
    await expect.poll(() => runs).toBe(2)
    runner.dueIn(3_600_000)
    await runner.stop()
    expect(runs).toBe(2)
  })
})
