// Dead letters of workflow steps on a real database: written with the failure, gone with the retry.

import { afterAll, beforeAll, expect, test } from "vitest"
import { EVERYTHING } from "../../model/people/reach.ts"
import { executionId } from "../../support/ids.ts"
import { end, service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { holdLoops, noTerm, sweepAll } from "../../test-support/loops.ts"
import { countRows } from "../../test-support/rows.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { createBulk, runBulk } from "../instances/bulk-instances.ts"
import { getHistory } from "../instances/read-history.ts"
import { getAudit } from "../instances/read-instances.ts"
import { retryInstance } from "../instances/retry-instance.ts"
import { fireTimers } from "../instances/run-timers.ts"
import { keepHouse } from "../upkeep/keep-house.ts"
import { discardDeadLetter } from "./discard-dead-letter.ts"
import { type DeadLetterView, getDeadLetter, listDeadLetters } from "./read-dead-letters.ts"
import { replayDeadLetter } from "./replay-dead-letter.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

const define = (id: string, more = {}) => engine.upload(workflow(id, [service(id, "end", more), end()]))

const lettersOf = async (type: string): Promise<readonly DeadLetterView[]> =>
  (await listDeadLetters(engine.kernel, { type }, { limit: 100 })).items

const onlyLetterOf = async (type: string): Promise<DeadLetterView> => {
  const letters = await lettersOf(type)
  expect(letters).toHaveLength(1)
  return letters[0] as DeadLetterView
}

async function failFor(id: string, times: number, message = "boom"): Promise<string> {
  const instanceId = await worker.start(id)
  for (let n = 0; n < times; n++) await worker.fail(await worker.claimOne(id), message)
  return instanceId
}

const retry = (instanceId: string, stepId: string) =>
  retryInstance(engine.kernel, { instanceId, stepId, variables: undefined, actor: "ann" })

test("C-71: a retried step has the idempotency key of the execution that failed, however often it fails", async () => {
  await define("transfer", { retryCount: 0 })
  const instanceId = await failFor("transfer", 1)
  for (const execution of [2, 3]) {
    await retry(instanceId, "transfer")
    const job = await worker.claimOne("transfer")
    expect([job.id, job.idempotencyKey]).toEqual([executionId(instanceId, execution), executionId(instanceId, 1)])
    await worker.fail(job, "boom")
  }
})

test("B-17: a step that fails for good is dead-lettered with its error, its retry count and the time, and its own error names the retries", async () => {
  await define("tiles", { retryCount: 2, priority: "high" })
  const instanceId = await failFor("tiles", 2)
  expect(await lettersOf("tiles")).toEqual([])
  await worker.fail(await worker.claimOne("tiles"), "no more tiles")
  expect(await onlyLetterOf("tiles")).toEqual({
    id: expect.any(String),
    source: "step",
    jobId: executionId(instanceId, 1),
    type: "tiles",
    priority: "high",
    reason: "exhausted",
    error: "no more tiles",
    fingerprint: expect.stringMatching(/^[0-9a-f]{16}$/),
    attempts: 3,
    retryCount: 2,
    deadAt: (await worker.get(instanceId)).completedAt,
    instanceId,
    definitionId: "tiles",
    stepId: "tiles",
  })
  const [history] = await getHistory(engine.kernel, instanceId)
  expect(history).toMatchObject({ status: "FAILED", failureReason: "no more tiles (after 2 retries)" })
  expect(await worker.get(instanceId)).toMatchObject({ status: "FAILED", failureReason: "no more tiles" })
  const [row] = await engine.db.script(
    `select workflow_id, step_id, error, retry_count from millrace_views.dead_letter_queue_item where workflow_id = '${instanceId}'`,
  )
  expect(row).toEqual({ workflow_id: instanceId, step_id: "tiles", error: "no more tiles", retry_count: 2 })
})

test("an entry tells every attempt with its error and its worker, and what the step had to work with", async () => {
  await define("pages", { retryCount: 1 })
  const id = await worker.start("pages", { page: 7 })
  await worker.fail(await worker.claimOne("pages"), "first")
  const other = drive(engine.kernel, "w2")
  await other.fail(await other.claimOne("pages"), "second")
  const letter = await getDeadLetter(engine.kernel, (await onlyLetterOf("pages")).id)
  expect(letter).toMatchObject({ instanceId: id, payload: { page: 7 }, error: "second", attempts: 2, retryCount: 1 })
  expect(letter.history).toMatchObject([
    { attempt: 1, outcome: "failed", error: "first", workerId: "w1" },
    { attempt: 2, outcome: "failed", error: "second", workerId: "w2" },
  ])
})

test("B-13: a failure beyond retrying is dead-lettered at once, with no retry in its name", async () => {
  await define("strict", { retryCount: 3 })
  const instanceId = await worker.start("strict")
  await worker.fail(await worker.claimOne("strict"), "invalid input", false)
  expect(await onlyLetterOf("strict")).toMatchObject({ reason: "not-retryable", attempts: 1, retryCount: 0 })
  expect(await getHistory(engine.kernel, instanceId)).toMatchObject([{ failureReason: "invalid input" }])
})

test("D-32: a job that lost its workers once too often is dead-lettered as such", async () => {
  await define("lethal")
  await worker.start("lethal")
  for (let n = 0; n < 4; n++) {
    await worker.claimOne("lethal")
    await engine.advanceClock(31_000)
    await sweepAll(engine.kernel)
  }
  const letter = await onlyLetterOf("lethal")
  expect(letter).toMatchObject({ reason: "worker-lost", attempts: 4, error: expect.stringContaining("poison pill") })
  const { history } = await getDeadLetter(engine.kernel, letter.id)
  expect(history.map(({ outcome, error }) => [outcome, error])).toEqual(Array(4).fill(["lost", "heartbeat timeout"]))
})

test("a step that may fail, a deadline and a condition leave no dead letter: no job has failed the instance", async () => {
  await define("careless", { onError: "continue" })
  await failFor("careless", 1)
  expect(await lettersOf("careless")).toEqual([])
  await engine.upload(workflow("late", [service("late", "end"), end()], { deadline: "PT1M" }))
  const late = await worker.start("late")
  await engine.advanceClock(61_000)
  await fireTimers(engine.kernel, noTerm)
  expect((await worker.get(late)).status).toBe("FAILED")
  const choice = step("DECISION", "choice", { conditionalNextSteps: { "nothing.at.all": "end" } })
  await engine.upload(workflow("unsure", [service("unsure", "choice"), choice, end()]))
  const unsure = await worker.start("unsure")
  await worker.complete(await worker.claimOne("unsure"))
  expect((await worker.get(unsure)).status).toBe("FAILED")
  expect(await lettersOf("late")).toEqual([])
  expect(await lettersOf("unsure")).toEqual([])
})

test("a careless step's failure is not blamed for what fails the instance after it", async () => {
  const choice = step("DECISION", "choice", { conditionalNextSteps: { "nothing.at.all": "end" } })
  await engine.upload(workflow("blameless", [service("blameless", "choice", { onError: "continue" }), choice, end()]))
  const id = await failFor("blameless", 1)
  expect((await worker.get(id)).status).toBe("FAILED")
  expect(await lettersOf("blameless")).toEqual([])
})

test("C-71: a retry of the step takes its dead letter away, and the next failure writes another", async () => {
  await define("again")
  const instanceId = await failFor("again", 1)
  const first = await onlyLetterOf("again")
  await retry(instanceId, "again")
  expect(await lettersOf("again")).toEqual([])
  await worker.fail(await worker.claimOne("again"), "boom")
  const second = await onlyLetterOf("again")
  expect(second.id > first.id).toBe(true)
  expect(second).toMatchObject({ jobId: executionId(instanceId, 2), attempts: 1 })
  await expect(getDeadLetter(engine.kernel, first.id)).rejects.toMatchObject({ code: "not-found" })
})

test("C-71: a refused retry leaves the dead letter where it is", async () => {
  await engine.upload(workflow("kept", [service("kept", "end"), end()]))
  const taken = await worker.start("kept", {}, { businessKey: "k" })
  await worker.fail(await worker.claimOne("kept"), "boom")
  await worker.start("kept", {}, { businessKey: "k" })
  await expect(retry(taken, "kept")).rejects.toMatchObject({ code: "conflict" })
  const { id } = await onlyLetterOf("kept")
  await expect(replayDeadLetter(engine.kernel, { id, actor: "ann", reach: EVERYTHING })).rejects.toMatchObject({
    code: "conflict",
  })
  expect((await onlyLetterOf("kept")).id).toBe(id)
})

test("C-71: a bulk retry takes the dead letters of its instances away", async () => {
  await define("flock")
  for (let n = 0; n < 3; n++) await failFor("flock", 1)
  const kept = (await lettersOf("flock")).length
  const bulk = { action: "retry", filter: { definitionId: "flock" }, dryRun: false, reason: undefined, actor: "ann" }
  await createBulk(engine.kernel, { ...bulk, action: "retry" })
  while ((await runBulk(engine.kernel, noTerm)) > 0);
  expect([kept, await lettersOf("flock")]).toEqual([3, []])
})

test("D-07: a replayed step is retried with its full budget, in the name of whoever replayed it", async () => {
  await define("redo", { retryCount: 1, priority: "critical" })
  const instanceId = await failFor("redo", 2)
  const { id } = await onlyLetterOf("redo")
  const replayed = await replayDeadLetter(engine.kernel, { id, actor: "ann", reach: EVERYTHING })
  expect(replayed).toMatchObject({ outcome: { replayed: id, jobId: executionId(instanceId, 2) } })
  expect(await lettersOf("redo")).toEqual([])
  const job = await worker.claimOne("redo")
  expect(job).toMatchObject({ id: executionId(instanceId, 2), priority: "critical", retriesRemaining: 1 })
  await worker.complete(job)
  expect((await worker.get(instanceId)).status).toBe("COMPLETED")
  const audit = await getAudit(engine.kernel, instanceId, 0)
  expect(audit.filter(({ kind }) => kind === "STEP_RETRIED")).toMatchObject([{ actor: "ann" }])
})

test("F72: of many replays of one step at once one counts, and the others are told so", async () => {
  await define("clicked")
  const instanceId = await failFor("clicked", 1)
  const { id } = await onlyLetterOf("clicked")
  const clicks = Array.from({ length: 8 }, () =>
    replayDeadLetter(engine.kernel, { id, actor: "ann", reach: EVERYTHING }),
  )
  const results = await Promise.allSettled(clicks)
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1)
  for (const result of results)
    if (result.status === "rejected") expect(result.reason).toMatchObject({ code: "conflict" })
  expect(await countRows(engine.db, "jobs", `instance_id = '${instanceId}'`)).toBe(1)
  await expect(replayDeadLetter(engine.kernel, { id, actor: "bob", reach: EVERYTHING })).rejects.toThrow(
    /was replayed by ann at/,
  )
})

test("F72: replay, retry and discard of one step meet: they neither deadlock nor both count", async () => {
  await define("crowded")
  for (let round = 0; round < 10; round++) {
    const instanceId = await failFor("crowded", 1)
    const { id } = await onlyLetterOf("crowded")
    const results = await Promise.allSettled([
      replayDeadLetter(engine.kernel, { id, actor: "ann", reach: EVERYTHING }),
      retry(instanceId, "crowded"),
      discardDeadLetter(engine.kernel, { id, actor: "bob", reach: EVERYTHING }),
    ])
    for (const result of results)
      if (result.status === "rejected") expect(["conflict", "not-found"]).toContain(result.reason.code)
    const [replayed, retried, discarded] = results.map(({ status }) => status === "fulfilled")
    expect(replayed).not.toBe(retried)
    expect(replayed && discarded).toBe(false)
    expect(await lettersOf("crowded")).toEqual([])
    await worker.complete(await worker.claimOne("crowded"))
    expect((await worker.get(instanceId)).status).toBe("COMPLETED")
  }
})

test("a discarded entry is gone and says by whom; its instance stays FAILED and can still be retried", async () => {
  await define("waste")
  const instanceId = await failFor("waste", 1)
  const { id, jobId } = await onlyLetterOf("waste")
  await discardDeadLetter(engine.kernel, { id, actor: "ann", reach: EVERYTHING })
  expect(await lettersOf("waste")).toEqual([])
  const [change] = await engine.db.script(`select actor, kind, detail from millrace.changes where name = '${id}'`)
  expect(change).toMatchObject({ actor: "ann", kind: "dead-letter-discarded" })
  expect(JSON.parse(change?.detail as string)).toEqual({ source: "step", jobId, type: "waste", error: "boom" })
  await expect(discardDeadLetter(engine.kernel, { id, actor: "bob", reach: EVERYTHING })).rejects.toThrow(
    /was discarded by ann at/,
  )
  expect((await worker.get(instanceId)).status).toBe("FAILED")
  await retry(instanceId, "waste")
  expect((await worker.get(instanceId)).status).toBe("ACTIVE")
})

test("C-128: the dead letter of a step goes with its instance's week, and not before", async () => {
  await define("old")
  await failFor("old", 1)
  const { kernel } = engine
  await engine.advanceClock(20 * 24 * 3_600_000)
  await keepHouse(kernel)
  expect(await lettersOf("old")).toHaveLength(1)
  // Nothing that lives keeps the week.
  await engine.db.script("truncate millrace.instances, millrace.jobs")
  await engine.advanceClock(30 * 24 * 3_600_000)
  await keepHouse(kernel)
  expect(await lettersOf("old")).toEqual([])
})
