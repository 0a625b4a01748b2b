// Instances on a real database: start, advance, end, and what is kept of them.
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { end, forked, linear, service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { cancelInstance, completeUserTask, signalWait } from "./change-instance.ts"
import { getHistory } from "./read-history.ts"
import { getAudit } from "./read-instances.ts"
import { retryInstance } from "./retry-instance.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
})
afterAll(() => engine.close())

describe("a straight workflow", () => {
  test("C-21, C-58, W-01: runs step by step to COMPLETED and leaves nothing live", async () => {
    await engine.upload(linear())
    const id = await worker.start("linear", { amount: 3 })
    expect(await worker.get(id)).toMatchObject({ status: "ACTIVE", currentStepIds: ["a"], variables: { amount: 3 } })
    expect(await worker.complete(await worker.claimOne("a"), { a: 1 })).toBe("accepted")
    expect(await worker.complete(await worker.claimOne("b"), { b: null })).toBe("accepted")
    expect(await worker.get(id)).toMatchObject({
      status: "COMPLETED",
      currentStepIds: [],
      variables: { amount: 3, a: 1, b: null },
      completedAt: expect.any(String),
    })
    const left = await engine.db.script(
      `select (select count(*) from millrace.instances where id = '${id}') as live, (select count(*) from millrace.jobs where instance_id = '${id}') as jobs`,
    )
    expect(left).toEqual([{ live: 0, jobs: 0 }])
  })

  test("C-24, C-57: history has one row per entry, with what each step changed", async () => {
    const id = await worker.start("linear")
    await worker.complete(await worker.claimOne("a"), { x: 1 })
    const history = await getHistory(engine.kernel, id)
    expect(history.map(({ stepId, status, attemptNumber }) => [stepId, status, attemptNumber])).toEqual([
      ["a", "COMPLETED", 1],
      ["b", "RUNNING", 1],
    ])
    expect(history[0]).toMatchObject({ output: { x: 1 }, endedAt: expect.any(String), stepType: "SERVICE_TASK" })
    await worker.complete(await worker.claimOne("b"))
  })

  test("C-99, S16: the audit trail is gapless and names the actors", async () => {
    const id = await worker.start("linear")
    await worker.complete(await worker.claimOne("a"))
    await worker.complete(await worker.claimOne("b"))
    const audit = await getAudit(engine.kernel, id, 0)
    expect(audit.map(({ seq, kind, actor }) => [seq, kind, actor])).toEqual([
      [1, "INSTANCE_STARTED", "local"],
      [2, "JOB_DISPATCHED", "engine"],
      [3, "JOB_COMPLETED", "w1"],
      [4, "JOB_DISPATCHED", "engine"],
      [5, "JOB_COMPLETED", "w1"],
      [6, "INSTANCE_COMPLETED", "engine"],
    ])
    expect(audit[1]?.detail).toEqual({ stepId: "a", via: "polling" })
  })
})

describe("forks", () => {
  test("C-75, S11: the join waits for branches of any length and fires once", async () => {
    await engine.upload(forked())
    const id = await worker.start("forked")
    expect((await worker.get(id)).currentStepIds).toEqual(["a", "b"])
    await worker.complete(await worker.claimOne("a"))
    await worker.complete(await worker.claimOne("b"))
    expect((await worker.get(id)).currentStepIds).toEqual(["a2"])
    await worker.complete(await worker.claimOne("a2"))
    expect((await worker.get(id)).currentStepIds).toEqual(["after"])
    await worker.complete(await worker.claimOne("after"))
    expect((await worker.get(id)).status).toBe("COMPLETED")
    const joins = (await getHistory(engine.kernel, id)).filter(({ stepId }) => stepId === "join")
    expect(joins).toHaveLength(1)
  })

  test("S25: branches that complete together both keep what they wrote", async () => {
    const id = await worker.start("forked")
    const [a, b] = await Promise.all([worker.claimOne("a"), worker.claimOne("b")])
    expect(await Promise.all([worker.complete(a, { a: 1 }), worker.complete(b, { b: 2 })])).toEqual([
      "accepted",
      "accepted",
    ])
    expect((await worker.get(id)).variables).toEqual({ a: 1, b: 2 })
    await cancelInstance(engine.kernel, { instanceId: id, reason: "done", actor: "local" })
  })
})

describe("people and signals", () => {
  const human = workflow("human", [
    step("USER_TASK", "approve", { nextStep: "wait", assigneeGroup: "clerks" }),
    step("WAIT", "wait", { nextStep: "end" }),
    end(),
  ])

  test("C-56, C-73: a user task makes the instance WAITING, its completion merges and goes on, a replay is not found", async () => {
    await engine.upload(human)
    const id = await worker.start("human")
    expect((await worker.get(id)).status).toBe("WAITING")
    const request = { instanceId: id, stepId: "approve", variables: { ok: true }, completedBy: "ann", actor: "local" }
    await completeUserTask(engine.kernel, request)
    expect(await worker.get(id)).toMatchObject({ currentStepIds: ["wait"], variables: { ok: true } })
    await expect(completeUserTask(engine.kernel, request)).rejects.toMatchObject({ code: "not-found" })
  })

  test("C-74: racing signals, one wins and the others are told so", async () => {
    const id = await worker.start("human")
    await completeUserTask(engine.kernel, {
      instanceId: id,
      stepId: "approve",
      variables: {},
      completedBy: "ann",
      actor: "local",
    })
    const signals = Array.from({ length: 8 }, (_, n) =>
      signalWait(engine.kernel, { instanceId: id, stepId: "wait", variables: { n }, actor: "local" }),
    )
    const results = await Promise.allSettled(signals)
    expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
    for (const result of results)
      if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "conflict" })
    expect((await worker.get(id)).status).toBe("COMPLETED")
  })

  test("C-30: a signal to a step that is not a WAIT is a bad request, to an unknown instance not found", async () => {
    const id = await worker.start("human")
    const signal = (instanceId: string, stepId: string) =>
      signalWait(engine.kernel, { instanceId, stepId, variables: {}, actor: "local" })
    await expect(signal(id, "approve")).rejects.toMatchObject({ code: "bad-request" })
    await expect(signal(id, "wait")).rejects.toMatchObject({ code: "conflict" })
    await expect(signal("01ARZ3NDEKTSV4RRFFQ69G5FAV", "wait")).rejects.toMatchObject({ code: "not-found" })
  })
})

describe("ends", () => {
  test("C-25, C-81, S15: cancel cancels jobs, tasks and timers, and later reports change nothing", async () => {
    await engine.upload(
      workflow("cancelled", [
        step("PARALLEL_GATEWAY", "fork", { parallelNextSteps: ["work", "ask"], joinStep: "join" }),
        service("work", "join", {
          boundaryEvents: [{ type: "TIMER", duration: "PT1H", interrupting: false, targetStepId: "late" }],
        }),
        step("USER_TASK", "ask", { nextStep: "join" }),
        step("JOIN_GATEWAY", "join", { nextStep: "end" }),
        service("late"),
        end(),
      ]),
    )
    const id = await worker.start("cancelled")
    const job = await worker.claimOne("work")
    await cancelInstance(engine.kernel, { instanceId: id, reason: "changed my mind", actor: "local" })
    expect(await worker.complete(job)).toBe("stale")
    expect(await worker.get(id)).toMatchObject({
      status: "CANCELLED",
      failureReason: "changed my mind",
      currentStepIds: [],
    })
    await expect(
      cancelInstance(engine.kernel, { instanceId: id, reason: "again", actor: "local" }),
    ).rejects.toMatchObject({ code: "conflict" })
    const [left] = await engine.db.script(`select
      (select count(*) from millrace.jobs where instance_id = '${id}') as jobs,
      (select count(*) from millrace.timers where instance_id = '${id}') as timers,
      (select count(*) from millrace.user_tasks where instance_id = '${id}' and status = 'OPEN') as tasks`)
    expect(left).toEqual({ jobs: 0, timers: 0, tasks: 0 })
    expect((await getHistory(engine.kernel, id)).filter(({ status }) => status === "SKIPPED")).toHaveLength(2)
  })

  test("C-67, C-68, C-70: retries are used up, then job, step and instance fail with the reason", async () => {
    await engine.upload(workflow("retried", [service("flaky", undefined, { retryCount: 2 })]))
    const id = await worker.start("retried")
    for (const left of [2, 1, 0]) {
      const job = await worker.claimOne("flaky")
      expect(job.retriesRemaining).toBe(left)
      expect(await worker.fail(job, "no luck")).toBe("accepted")
    }
    expect(await worker.get(id)).toMatchObject({ status: "FAILED", failureReason: "no luck" })
    expect(await worker.claim(["flaky"])).toEqual([])
  })

  test("C-68: a non-retryable failure skips the retries", async () => {
    const id = await worker.start("retried")
    await worker.fail(await worker.claimOne("flaky"), "never", false)
    expect((await worker.get(id)).status).toBe("FAILED")
  })

  test("C-71: a manual retry goes on from the failed step with a full budget, patched variables and the old rows kept", async () => {
    const id = await worker.start("retried", { a: 1 })
    await worker.fail(await worker.claimOne("flaky"), "never", false)
    await retryInstance(engine.kernel, { instanceId: id, stepId: "flaky", variables: { a: 2 }, actor: "local" })
    expect(await worker.get(id)).toMatchObject({ status: "ACTIVE", currentStepIds: ["flaky"], variables: { a: 2 } })
    expect((await worker.get(id)).failureReason).toBeUndefined()
    const job = await worker.claimOne("flaky")
    expect(job.retriesRemaining).toBe(2)
    await worker.complete(job)
    expect((await worker.get(id)).status).toBe("COMPLETED")
    expect((await getHistory(engine.kernel, id)).map(({ attemptNumber, status }) => [attemptNumber, status])).toEqual([
      [1, "FAILED"],
      [2, "COMPLETED"],
    ])
    await expect(
      retryInstance(engine.kernel, { instanceId: id, stepId: "flaky", variables: undefined, actor: "local" }),
    ).rejects.toMatchObject({
      code: "conflict",
    })
  })
})

describe("keys", () => {
  test("C-80: a business key is unique among unfinished instances and free again afterwards", async () => {
    const id = await worker.start("linear", {}, { businessKey: "order-1" })
    await expect(worker.start("linear", {}, { businessKey: "order-1" })).rejects.toMatchObject({ code: "conflict" })
    await cancelInstance(engine.kernel, { instanceId: id, reason: undefined, actor: "local" })
    const again = await worker.start("linear", {}, { businessKey: "order-1" })
    await cancelInstance(engine.kernel, { instanceId: again, reason: undefined, actor: "local" })
  })
})

describe("versions", () => {
  test("C-52: an instance keeps the version it started with, new ones take the latest", async () => {
    await engine.upload(workflow("versioned", [service("old")]))
    const first = await worker.start("versioned")
    expect(await engine.upload(workflow("versioned", [service("new")]))).toBe(2)
    expect(await engine.upload(workflow("versioned", [service("new")]))).toBe(2)
    const second = await worker.start("versioned")
    expect((await worker.get(first)).currentStepIds).toEqual(["old"])
    expect(await worker.get(second)).toMatchObject({ definitionVersion: 2, currentStepIds: ["new"] })
  })
})
