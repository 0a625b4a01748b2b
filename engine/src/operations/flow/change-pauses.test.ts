import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest"
import type { PauseKind } from "../../store/flow/live-settings.ts"
import { end, service, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { standStill } from "../../test-support/stand-still.ts"
import { openTestCore } from "../../test-support/test-core.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { explainJobWaiting, explainWaiting } from "../instances/explain-waiting.ts"
import { claimJobs } from "../jobs/claim/claim-jobs.ts"
import { enqueueJob } from "../jobs/enqueue/enqueue-job.ts"
import { listPauses, pause, resume } from "./change-pauses.ts"
import { queuesOf } from "./queue-registry.ts"

const operator = { actor: "anna" }
let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
})
afterAll(() => engine.close())

const stop = (kind: PauseKind, name: string, reason = "deploy") =>
  pause(engine.kernel, operator, { kind, name, reason })
const go = (kind: PauseKind, name: string) => resume(engine.kernel, operator, { kind, name })
const enqueue = async (jobType: string, more: object = {}) =>
  (await enqueueJob(engine.kernel, { jobType, payload: {}, whenFull: "refuse", actor: "local", ...more })).job.id
const define = (id: string, more = {}) => engine.upload(workflow(id, [service(id, "end", more), end()]))

describe("a pause", () => {
  test.each<[PauseKind, string]>([
    ["queue", "high"],
    ["jobType", "p-job"],
    ["downstream", "p-down"],
  ])("of a %s keeps its jobs, and its end hands them out", async (kind, name) => {
    await stop(kind, name)
    const id = await enqueue("p-job", { priority: "high", downstream: "p-down" })
    expect(await worker.claim(["p-job"])).toEqual([])
    expect(await explainJobWaiting(engine.kernel, id)).toMatchObject([
      { kind: "paused", detail: { paused: kind, name, pausedBy: "anna", reason: "deploy" } },
    ])
    await go(kind, name)
    expect((await worker.claim(["p-job"])).map((job) => job.id)).toEqual([id])
  })

  test("of a definition keeps the jobs of its steps, and says so for the instance", async () => {
    await define("p-def")
    const id = await worker.start("p-def")
    await stop("definition", "p-def", "the new version is broken")
    expect(await worker.claim(["p-def"])).toEqual([])
    const [reason, ...more] = await explainWaiting(engine.kernel, id)
    expect(more).toEqual([])
    expect(reason).toMatchObject({ kind: "paused", stepId: "p-def", detail: { paused: "definition", name: "p-def" } })
    expect(reason?.detail.message).toMatch(
      /^Held back: definition p-def was paused by anna at .*Z\. Reason: the new version is broken\.$/,
    )
    await go("definition", "p-def")
    expect(await worker.claim(["p-def"])).toHaveLength(1)
  })

  test("leaves alone what is leased and what is not named", async () => {
    const held = await enqueue("p-one")
    const job = await worker.claimOne("p-one")
    await stop("jobType", "p-one")
    await enqueue("p-two")
    expect(await worker.claim(["p-one", "p-two"])).toHaveLength(1)
    expect(await explainJobWaiting(engine.kernel, held)).toMatchObject([{ kind: "job-leased" }])
    expect(await worker.complete(job)).toBe("accepted")
    await go("jobType", "p-one")
  })

  test("a worker who waits is not handed a paused job, and gets it when the pause ends", async () => {
    await stop("jobType", "p-wait")
    const request = { workerId: "w", jobTypes: ["p-wait"], maxJobs: 1, leaseMs: 30_000, waitMs: 20_000 }
    let isBack = false
    const waiting = claimJobs(engine.kernel, request).finally(() => {
      isBack = true
    })
    const id = await enqueue("p-wait")
    expect(await explainJobWaiting(engine.kernel, id)).toMatchObject([{ kind: "paused" }])
    expect(isBack).toBe(false)
    await go("jobType", "p-wait")
    expect((await waiting).map((job) => job.id)).toEqual([id])
  })

  test("a job that waits for its time says both", async () => {
    const id = await enqueue("p-late", { delayMs: 3_600_000 })
    await stop("jobType", "p-late")
    expect((await explainJobWaiting(engine.kernel, id)).map(({ kind }) => kind)).toEqual(["scheduled", "paused"])
    await go("jobType", "p-late")
  })

  test("the first one stands, and both ends are noted once", async () => {
    const first = await stop("jobType", "p-twice", "first")
    const second = { kind: "jobType", name: "p-twice", reason: "second" } as const
    expect(await pause(engine.kernel, { actor: "bert" }, second)).toEqual(first)
    expect(await listPauses(engine.kernel)).toMatchObject([{ name: "p-twice", pausedBy: "anna", reason: "first" }])
    await Promise.all([go("jobType", "p-twice"), go("jobType", "p-twice")])
    expect(await engine.db.script("select actor from millrace.changes where name = 'p-twice'")).toHaveLength(2)
  })

  test("holds in every process by the time it is answered", async () => {
    const other = await openTestCore(engine.dsn)
    const id = await enqueue("p-other")
    await queuesOf(other.kernel).refresh()
    onTestFinished(await standStill(engine.kernel))
    await stop("jobType", "p-other")
    expect(await drive(other.kernel, "w2").claim(["p-other"])).toEqual([])
    await resume(other.kernel, operator, { kind: "jobType", name: "p-other" })
    expect((await worker.claim(["p-other"])).map((job) => job.id)).toEqual([id])
    await other.stop()
  })
})
