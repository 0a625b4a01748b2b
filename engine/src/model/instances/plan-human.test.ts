// What people and outside systems do to an instance.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${…}` is the expression notation
import { expect, test } from "vitest"
import { EngineError } from "../../support/errors.ts"
import {
  decision,
  end,
  fork,
  join,
  type Raw,
  service,
  timer,
  transformation,
  user,
  wait,
} from "../definitions/fixtures.ts"
import { cancel, complete, completeTask, signal } from "./test-support/items.ts"
import { type Run, run } from "./test-support/run.ts"
import type { Item, Verdict } from "./test-support/world.ts"

const codes = (verdicts: readonly Verdict[]) => verdicts.map((v) => (v instanceof EngineError ? v.code : v))
const refusal = (running: Run, item: Item) => codes(running.together(item))[0]

const task = (more: Raw = {}): Raw[] => [user("u", { nextStep: "s", ...more }), service("s", "e"), end("e")]

test("C-73: a user task is OPEN, completion closes it with who did it, merges the result and goes on", () => {
  const running = run(task({ assignee: "ada", assigneeGroup: "staff", dueIn: "P1D" }), { variables: { a: 1 } })
  expect(running.world.lastPlan?.newUserTasks).toEqual([
    { execution: 1, stepId: "u", name: "Step u", assignee: "ada", assigneeGroup: "staff", dueInMs: 86_400_000 },
  ])
  running.completeTask("u", { ok: true })
  expect(running.world.tables.userTasks.get(1)).toMatchObject({ status: "COMPLETED", completedBy: "ada" })
  expect(running.variables).toEqual({ a: 1, ok: true })
  expect(running.open).toEqual(["s"])
  expect(running.audit).toContain("USER_TASK_COMPLETED")
})

test("C-73: a second completion is not found, also in the same draft", () => {
  const running = run(task())
  expect(codes(running.together(completeTask("u", { n: 1 }), completeTask("u", { n: 2 })))).toEqual([
    "counted",
    "not-found",
  ])
  expect(running.variables).toEqual({ n: 1 })
  expect(refusal(running, completeTask("u"))).toBe("not-found")
})

test("C-73: a task that opens in this very draft cannot be completed by it: there is nothing yet that anybody could have seen", () => {
  const running = run([service("s", "u"), user("u", { nextStep: "e" }), end("e")])
  expect(codes(running.together(complete(running.claim("s")), completeTask("u")))).toEqual(["counted", "not-found"])
  expect(running.completeTask("u").status).toBe("COMPLETED")
  expect([...running.world.tables.userTasks.values()]).toMatchObject([{ status: "COMPLETED" }])
})

test("C-29, C-30: an unknown step is not found, one of another type is a bad request", () => {
  const running = run(task())
  expect(refusal(running, completeTask("nowhere"))).toBe("not-found")
  expect(refusal(running, completeTask("s"))).toBe("bad-request")
  expect(refusal(running, signal("u"))).toBe("bad-request")
  expect(refusal(running, signal("nowhere"))).toBe("not-found")
})

test("C-55: a result that does not fit the output schema is refused and the task stays open", () => {
  const running = run(task({ outputSchema: { required: ["ok"] } }))
  expect(refusal(running, completeTask("u"))).toBe("bad-request")
  expect(running.open).toEqual(["u"])
})

test("C-73, C-74: of a step that is open twice the oldest execution answers", () => {
  const steps = [service("a", "u", { boundaryEvents: [timer("u", false)] }), user("u")]
  const running = run(steps).fire("a", "boundary:0").complete("a")
  expect(running.open).toEqual(["u", "u"])
  running.completeTask("u")
  const tasks = [...running.world.tables.userTasks.values()]
  expect(tasks.map(({ status }) => status)).toEqual(["COMPLETED", "OPEN"])
})

test("C-74: of two racing signals one wins, the other is a conflict and merges nothing", () => {
  const running = run([wait("w", { nextStep: "s" }), service("s", "e"), end("e")])
  expect(codes(running.together(signal("w", { by: 1 }), signal("w", { by: 2 })))).toEqual(["counted", "conflict"])
  expect(running.variables).toEqual({ by: 1 })
  expect(running.status).toBe("ACTIVE")
})

test("C-44: conditions on a task are judged after its result is merged; without a true one nextStep is taken", () => {
  const steps = [
    user("u", { nextStep: "plain", conditionalNextSteps: { "n > 5": "big", "n > 1": "some" } }),
    ...["plain", "big", "some"].map((id) => service(id, "e")),
    end("e"),
  ]
  const chosen = (n: number) => run(steps, { variables: { n: 9 } }).completeTask("u", { n }).open
  expect([chosen(6), chosen(2), chosen(0)]).toEqual([["big"], ["some"], ["plain"]])
})

test("C-44, C-72: a task whose conditions cannot be judged has failed, with its result, and can be retried", () => {
  const steps = [service("a", "e", { conditionalNextSteps: { "n > 1": "b" } }), service("b", "e"), end("e")]
  const failed = run(steps).complete("a", { m: 1 })
  expect(failed.status).toBe("FAILED")
  expect(failed.history).toEqual(["a FAILED"])
  expect(failed.variables).toEqual({ m: 1 })
  expect(failed.retry("a", { n: 2 }).complete("a").open).toEqual(["b"])
})

const busy: Raw[] = [
  fork("f", ["a", "u", "w"], "j"),
  service("a", "j", { boundaryEvents: [timer("late", false)] }),
  user("u", { nextStep: "j", timeout: { total: "P1D" } }),
  wait("w", { nextStep: "j" }),
  join("j", { nextStep: "e" }),
  service("late", "e"),
  end("e"),
]

test("C-81, S15: cancel ends jobs, user tasks, timers and deadline; every open step is SKIPPED", () => {
  const running = run(busy, { definition: { deadline: "P1D" } })
  const delivery = running.claim("a")
  running.cancel("changed my mind")
  expect(running.status).toBe("CANCELLED")
  expect(running.reason).toBe("changed my mind")
  expect(running.history).toEqual(["f COMPLETED", "a SKIPPED", "u SKIPPED", "w SKIPPED"])
  expect([running.timers, running.world.tables.jobs.size, running.open]).toEqual([[], 0, []])
  expect(running.world.tables.userTasks.get(3)?.status).toBe("CANCELLED")
  expect(running.together(complete(delivery), signal("w"), cancel())).toEqual(["not-live", "not-live", "not-live"])
})

test("C-81, S15: what comes after a cancel in the same draft meets a finished instance", () => {
  const running = run(busy)
  expect(running.together(cancel(), signal("w"), completeTask("u"))).toEqual(["counted", "not-live", "not-live"])
  expect(running.audit.at(-1)).toBe("INSTANCE_CANCELLED")
})

test("C-71: retry runs the failed step again as a new execution, with the patch merged first and a full budget", () => {
  const failed = run([service("a", "e", { retryCount: 2 }), end("e")], { variables: { card: "old", x: 1 } })
  failed.fail("a", { retryable: false, message: "no such card" }).retry("a", { card: "new" })
  expect(failed.status).toBe("ACTIVE")
  expect(failed.reason).toBeUndefined()
  expect(failed.variables).toEqual({ card: "new", x: 1 })
  expect(failed.job("a")).toMatchObject({ retriesLeft: 2, epoch: 0 })
  expect(failed.world.tables.instance.state.open[0]).toMatchObject({ execution: 2, attempt: 2 })
  expect(failed.history).toEqual(["a FAILED"])
  expect(failed.audit).toContain("STEP_RETRIED")
  expect(failed.complete("a").status).toBe("COMPLETED")
})

test("C-71: without a step it is the one that failed the instance, not one that failed before and let it go on", () => {
  const lenient = service("a", "b", { onError: "continue" })
  const failed = run([lenient, service("b", "e"), end("e")])
    .fail("a")
    .fail("b")
  expect(failed.world.retry(undefined)).toBe("counted")
  expect([failed.status, failed.open]).toEqual(["ACTIVE", ["b"]])
  expect(codes([failed.world.retry(undefined)])).toEqual(["conflict"])
})

test("C-71: the job of before the retry is gone for good", () => {
  const failed = run([service("a", "e", { timeout: { total: "PT9S" } }), end("e")])
  const delivery = failed.claim("a")
  failed.fire("a", "total").retry("a")
  expect(failed.together(complete(delivery))).toEqual(["ignored"])
})

test.each([
  ["the instance is ACTIVE", (r: Run) => r, "a"],
  ["the instance was cancelled", (r: Run) => r.cancel(), "a"],
  ["another step failed it", (r: Run) => r.fail("a"), "b"],
])("C-71: retry is a conflict when %s", (_name, prepare, stepId) => {
  const running = prepare(run([service("a", "b"), service("b", "e"), end("e")]))
  expect(codes([running.world.retry(stepId)])).toEqual(["conflict"])
  expect(codes([running.world.retry("nowhere")])).toEqual(["not-found"])
})

test("C-71, S11: retry of a failed branch resumes its siblings too, each as a new execution; arrivals stay", () => {
  const steps = [
    fork("f", ["a", "b", "c"], "j"),
    service("a", "j"),
    service("b", "b2"),
    user("b2", { nextStep: "j" }),
    service("c", "j"),
    join("j", { nextStep: "e" }),
    end("e"),
  ]
  const running = run(steps).complete("a").complete("b").fail("c", { message: "boom" })
  expect(running.history).toEqual(["f COMPLETED", "a COMPLETED", "b COMPLETED", "c FAILED", "b2 SKIPPED"])
  running.retry("c")
  expect(running.status).toBe("WAITING")
  expect(running.open).toEqual(["c", "b2"])
  expect(running.world.tables.instance.state.open.map(({ attempt }) => attempt)).toEqual([2, 2])
  expect(running.complete("c").completeTask("b2").status).toBe("COMPLETED")
  expect(running.history.filter((row) => row === "j COMPLETED")).toHaveLength(1)
})

test("C-71, S11: a branch that had not even begun when its sibling failed is not lost", () => {
  const steps = [
    fork("f", ["t", "b"], "j"),
    transformation("t", { transformations: { x: "${missing}" }, nextStep: "j" }),
    service("b", "j"),
    join("j", { nextStep: "e" }),
    end("e"),
  ]
  const failed = run(steps)
  expect(failed.history).toEqual(["f COMPLETED", "t FAILED"])
  expect(failed.retry("t", { missing: 1 }).open).toEqual(["b"])
  expect(failed.world.tables.instance.state.open[0]?.attempt).toBe(1)
  expect(failed.complete("b").status).toBe("COMPLETED")
})

test("C-71, S11: in nested forks every level is restored", () => {
  const steps = [
    fork("f", ["g", "c"], "j"),
    fork("g", ["a", "b"], "i"),
    service("a", "i"),
    service("b", "i"),
    join("i", { nextStep: "j" }),
    service("c", "j"),
    join("j", { nextStep: "e" }),
    end("e"),
  ]
  const running = run(steps).complete("a").fail("b").retry("b")
  expect(running.open).toEqual(["b", "c"])
  expect(running.complete("c").complete("b").status).toBe("COMPLETED")
})

test("C-71: a retry that fails again at once is FAILED again, and can be retried again", () => {
  const failed = run([decision("d", { conditionalNextSteps: { "n == 1": "e" } }), end("e")], { variables: { n: 0 } })
  failed.retry("d")
  expect(failed.status).toBe("FAILED")
  expect(failed.audit.slice(-2)).toEqual(["STEP_RETRIED", "INSTANCE_FAILED"])
  expect(failed.retry("d", { n: 1 }).status).toBe("COMPLETED")
  expect(failed.history).toEqual(["d FAILED", "d FAILED", "d COMPLETED", "e COMPLETED"])
})

test("C-71: a step that was interrupted or allowed to fail is not what failed the instance, and is not retried", () => {
  const steps = [service("a", "b", { onError: "continue" }), service("b", "e"), end("e")]
  const failed = run(steps).fail("a").fail("b")
  expect(codes([failed.world.retry("a")])).toEqual(["conflict"])
  expect(failed.retry("b").open).toEqual(["b"])
})
