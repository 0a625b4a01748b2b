// The first plan of an instance.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${…}` is the expression notation
import { expect, test } from "vitest"
import { end, service, transformation, user, wait } from "../definitions/fixtures.ts"
import { onlyMakesJobs } from "./plan.ts"
import { run } from "./test-support/run.ts"

test("C-56: a started instance is ACTIVE at its first step, and its start is the first thing recorded", () => {
  const started = run([service("a", "e"), end("e")])
  expect(started.status).toBe("ACTIVE")
  expect(started.open).toEqual(["a"])
  expect(started.audit).toEqual(["INSTANCE_STARTED", "JOB_DISPATCHED"])
  expect(started.world.lastPlan?.newJobs).toEqual([
    { execution: 1, stepId: "a", jobType: "a-job", priority: "normal", downstream: "", retries: 0, runMs: null },
  ])
})

test.each([
  ["a user task", user("a", { nextStep: "e" })],
  ["a wait", wait("a", { nextStep: "e" })],
])("C-56: an instance that starts at %s is WAITING", (_name, step) => {
  expect(run([step, end("e")]).status).toBe("WAITING")
})

test("W-01: an instance of immediate steps completes within its first plan and leaves nothing, its deadline included", () => {
  const done = run([transformation("t", { transformations: { a: 1 }, nextStep: "e" }), end("e")], {
    definition: { deadline: "PT1M" },
  })
  expect(done.status).toBe("COMPLETED")
  expect(done.variables).toEqual({ a: 1 })
  expect(done.world.lastPlan?.newTimers).toEqual([])
  expect(done.audit).toEqual(["INSTANCE_STARTED", "INSTANCE_COMPLETED"])
})

test("C-70, C-72: an instance that fails within its first plan has a reason and can be retried there", () => {
  const failed = run([transformation("t", { transformations: { a: "${b}" }, nextStep: "e" }), end("e")])
  expect(failed.status).toBe("FAILED")
  expect(failed.reason).toMatch(/^transformation t: .*b/)
  expect(failed.retry("t", { b: 2 }).variables).toEqual({ a: 2, b: 2 })
  expect(failed.history).toEqual(["t FAILED", "t COMPLETED", "e COMPLETED"])
})

test("a step's own priority and downstream go before the instance's", () => {
  const { world } = run([service("a", "e", { priority: "critical", downstream: "psp" }), end("e")])
  expect(world.lastPlan?.newJobs[0]).toMatchObject({ priority: "critical", downstream: "psp" })
})

test.each([
  ["a job", service("a", "b"), undefined, true],
  ["a job beside a timer", service("a", "b"), "PT1M", false],
  [
    "a step that is passed at once",
    transformation("a", { transformations: { n: 1 }, nextStep: "b" }),
    undefined,
    false,
  ],
  ["a user task", user("a", { nextStep: "b" }), undefined, false],
])("the plan of a start that begins with %s tells whether it only makes jobs", (_name, first, deadline, only) => {
  const started = run([first, service("b", "e"), end("e")], deadline ? { definition: { deadline } } : {})
  expect(started.world.lastPlan && onlyMakesJobs(started.world.lastPlan)).toBe(only)
})
