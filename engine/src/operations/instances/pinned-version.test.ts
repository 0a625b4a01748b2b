// An instance goes on with the version of its definition that it was started with, whatever was uploaded since.
import { afterAll, beforeAll, expect, test } from "vitest"
import { end, service, step, workflow } from "../../test-support/definitions.ts"
import { drive } from "../../test-support/drive.ts"
import { holdLoops, noTerm } from "../../test-support/loops.ts"
import { createTestEngine, type TestEngine } from "../../test-support/test-engine.ts"
import { retryInstance } from "./retry-instance.ts"
import { fireTimers } from "./run-timers.ts"

let engine: TestEngine
let worker: ReturnType<typeof drive>

beforeAll(async () => {
  engine = await createTestEngine()
  worker = drive(engine.kernel)
  await holdLoops(engine.kernel)
})
afterAll(() => engine.close())

test("S24: a report leads to the step of its own version, also where the new one has no such step", async () => {
  await engine.upload(workflow("pinned", [service("a", "old", { jobType: "pinned-a" }), service("old", "end"), end()]))
  const id = await worker.start("pinned")
  const job = await worker.claimOne("pinned-a")
  const next = await engine.upload(
    workflow("pinned", [service("a", "new", { jobType: "pinned-a" }), service("new", "end"), end()]),
  )
  expect(next).toBe(2)
  expect(await worker.complete(job)).toBe("accepted")
  expect((await worker.get(id)).currentStepIds).toEqual(["old"])
  await worker.complete(await worker.claimOne("old"))
  expect(await worker.get(id)).toMatchObject({ status: "COMPLETED", definitionVersion: 1 })
})

test("S24: so do a timer, and the retry of a run that has failed", async () => {
  const guarded = (target: string) =>
    workflow("pinned-timer", [
      service("a", "end", {
        jobType: "pinned-b",
        boundaryEvents: [{ type: "TIMER", duration: "PT1M", interrupting: true, targetStepId: target }],
      }),
      step("WAIT", target, { nextStep: "end" }),
      end(),
    ])
  await engine.upload(guarded("old"))
  const [timed, failed] = [await worker.start("pinned-timer"), await worker.start("pinned-timer")]
  const jobs = [await worker.claimOne("pinned-b"), await worker.claimOne("pinned-b")]
  await engine.upload(guarded("new"))
  const lost = jobs.find(({ instanceId }) => instanceId === failed) as (typeof jobs)[number]
  await worker.fail(lost, "no", false)
  await retryInstance(engine.kernel, { instanceId: failed, stepId: "a", variables: undefined, actor: "local" })
  await engine.advanceClock(60_001)
  while ((await fireTimers(engine.kernel, noTerm)) > 0);
  for (const id of [timed, failed]) expect(await worker.get(id)).toMatchObject({ currentStepIds: ["old"] })
})
