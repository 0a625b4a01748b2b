// What happens when a token enters a step.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${…}` is the expression notation
import { expect, test } from "vitest"
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
import { complete, fail } from "./test-support/items.ts"
import { run } from "./test-support/run.ts"

const choose = (conditions: Record<string, string>): Raw[] => [
  decision("d", { conditionalNextSteps: conditions }),
  ...[...new Set(Object.values(conditions))].map((id) => end(id)),
]

test.each([
  ["v > 1", "v > 0", "first"],
  ["v > 9", "v > 0", "second"],
])("C-72: conditions are judged in document order, the first true one wins (%s, %s)", (one, two, taken) => {
  const done = run(choose({ [one]: "first", [two]: "second", true: "third" }), { variables: { v: 5 } })
  expect(done.history).toEqual(["d COMPLETED", `${taken} COMPLETED`])
})

test("C-72: what comes after the first true condition is not judged", () => {
  expect(run(choose({ "v == 5": "first", "nowhere > 1": "second" }), { variables: { v: 5 } }).status).toBe("COMPLETED")
})

test.each([
  ["no condition is true", { "v > 9": "x" }, /^DecisionNoBranchMatched/],
  ["a condition is not a boolean", { v: "x", true: "y" }, /`v` is not a boolean/],
  ["a variable is not defined", { "w == 1": "x", true: "y" }, /w/],
  ["a condition cannot be computed", { "v > 'a'": "x", true: "y" }, /^d: /],
])("C-72, C-70: a decision fails the instance when %s", (_name, conditions, reason) => {
  const failed = run(choose(conditions as Record<string, string>), { variables: { v: 5 } })
  expect(failed.status).toBe("FAILED")
  expect(failed.reason).toMatch(reason)
  expect(failed.history).toEqual(["d FAILED"])
  expect(failed.open).toEqual([])
})

test("C-62: a transformation computes every value from the variables before it, and `now()` is the plan's time", () => {
  const steps = [
    transformation("t", { transformations: { a: "${b}", b: "${a}", at: "${now()}" }, nextStep: "e" }),
    end("e"),
  ]
  expect(run(steps, { variables: { a: 1, b: 2 } }).variables).toEqual({ a: 2, b: 1, at: "1970-01-01T00:16:40.000Z" })
})

const twoBranches = (more: Raw[] = []): Raw[] => [
  fork("f", ["a", "b"], "j"),
  service("a", "a2"),
  service("a2", "j"),
  service("b", "j"),
  join("j", { nextStep: "after" }),
  service("after", "e"),
  end("e"),
  ...more,
]

test("C-75: all branches are dispatched in one plan", () => {
  const { world, open } = run(twoBranches())
  expect(open).toEqual(["a", "b"])
  expect(world.lastPlan?.newJobs.map((job) => job.stepId)).toEqual(["a", "b"])
})

test("C-75: the join fires once, when all branches have arrived, not when their first steps are done", () => {
  const running = run(twoBranches()).complete("a").complete("b")
  expect(running.open).toEqual(["a2"])
  expect(running.complete("a2").open).toEqual(["after"])
  expect(running.history.filter((row) => row.startsWith("j "))).toEqual(["j COMPLETED"])
  expect(running.complete("after").status).toBe("COMPLETED")
})

test("F67, C-75, S11: branches that arrive in one draft fire the join once", () => {
  const running = run(twoBranches()).complete("a")
  const deliveries = [running.claim("a2"), running.claim("b")]
  expect(running.together(...deliveries.map((delivery) => complete(delivery)))).toEqual(["counted", "counted"])
  expect(running.open).toEqual(["after"])
})

const nested: Raw[] = [
  fork("f", ["g", "c"], "j"),
  fork("g", ["h", "b"], "i"),
  fork("h", ["x", "y"], "k"),
  service("x", "k"),
  service("y", "k"),
  join("k", { nextStep: "i" }),
  service("b", "i"),
  join("i", { nextStep: "m" }),
  service("m", "j"),
  service("c", "j"),
  join("j", { nextStep: "e" }),
  end("e"),
]

test("C-75, C-48: forks within forks join from the inside out, in whatever order their branches finish", () => {
  const running = run(nested)
  expect(running.open).toEqual(["x", "y", "b", "c"])
  running.complete("c").complete("x").complete("b")
  expect(running.open).toEqual(["y"])
  expect(running.complete("y").open).toEqual(["m"])
  expect(running.complete("m").status).toBe("COMPLETED")
  expect(running.history.filter((row) => /^[ijk] /.test(row))).toEqual(["k COMPLETED", "i COMPLETED", "j COMPLETED"])
})

test("C-75: a fork within a loop is a new activation each time round", () => {
  const running = run(
    [
      fork("f", ["a", "b"], "j"),
      service("a", "j"),
      service("b", "j"),
      join("j", { nextStep: "d" }),
      decision("d", { conditionalNextSteps: { "!done": "f", true: "e" } }),
      end("e"),
    ],
    { variables: { done: false } },
  )
  running.complete("a").complete("b")
  expect(running.open).toEqual(["a", "b"])
  running.complete("b", { done: true }).complete("a")
  expect(running.status).toBe("COMPLETED")
  expect(running.history.filter((row) => row === "j COMPLETED")).toHaveLength(2)
})

test("C-75: two forks may share a join; each arrival counts for its own fork", () => {
  const running = run(
    [
      decision("d", { conditionalNextSteps: { "v == 1": "f", true: "g" } }),
      fork("f", ["a", "b"], "j"),
      fork("g", ["x", "y", "z"], "j"),
      ...["a", "b", "x", "y", "z"].map((id) => service(id, "j")),
      join("j", { nextStep: "e" }),
      end("e"),
    ],
    { variables: { v: 2 } },
  )
  running.complete("x").complete("z")
  expect(running.open).toEqual(["y"])
  expect(running.complete("y").status).toBe("COMPLETED")
})

const reminded = (more: Raw = {}): Raw[] => [
  user("u", { nextStep: "e", boundaryEvents: [timer("r", false)], ...more }),
  service("r", "e"),
  end("e"),
]

test("W-01: an END completes the instance from the path of a non-interrupting timer, and what is open is SKIPPED", () => {
  const running = run(reminded()).fire("u", "boundary:0").complete("r")
  expect(running.status).toBe("COMPLETED")
  expect(running.open).toEqual([])
  expect(running.history).toEqual(["u SKIPPED", "r COMPLETED", "e COMPLETED"])
  expect(running.world.tables.userTasks.get(1)?.status).toBe("CANCELLED")
  expect(running.world.tables.audit.at(-1)).toEqual({
    kind: "INSTANCE_COMPLETED",
    actor: "engine",
    detail: { skipped: ["u"] },
  })
})

test("W-01: an END that is reached on the main path stops the path beside it, with its job, retry and timers", () => {
  const beside = service("r", undefined, { retryCount: 1, timeout: { total: "PT1H" } })
  const running = run([service("a", "e", { boundaryEvents: [timer("r", false)] }), beside, end("e")])
  running.fire("a", "boundary:0")
  const [first, second] = [running.claim("r"), running.claim("a")]
  const failure = { message: "busy", retryable: true }
  expect(running.together(fail(first, failure), complete(second))).toEqual(["counted", "counted"])
  expect(running.history).toEqual(["a COMPLETED", "r SKIPPED", "e COMPLETED"])
  expect(running.world.lastPlan?.requeuedJobs).toEqual([])
})

test("W-01: of two reports in one draft that both lead to an END the first counts, the other finds no live instance", () => {
  const running = run([service("a", "e", { boundaryEvents: [timer("r", false)] }), service("r", "e"), end("e")])
  running.fire("a", "boundary:0")
  const both = [complete(running.claim("r"), { by: "r" }), complete(running.claim("a"), { by: "a" })]
  expect(running.together(...both)).toEqual(["counted", "not-live"])
  expect(running.variables).toEqual({ by: "r" })
  expect(running.audit.filter((kind) => kind === "INSTANCE_COMPLETED")).toHaveLength(1)
})

test("W-01: from beside a fork an END takes the branches, the arrivals and the deadline with it", () => {
  const steps = [
    fork("f", ["a", "b"], "j"),
    service("a", "j"),
    wait("b", { nextStep: "j", boundaryEvents: [timer("e", false)] }),
    join("j", { nextStep: "e" }),
    end("e"),
  ]
  const running = run(steps, { definition: { deadline: "PT1H" } })
    .complete("a")
    .fire("b", "boundary:0")
  expect(running.status).toBe("COMPLETED")
  expect(running.history).toEqual(["f COMPLETED", "a COMPLETED", "b SKIPPED", "e COMPLETED"])
  expect(running.world.lastPlan?.state.forks).toEqual([])
  expect(running.timers).toEqual([])
})

test("W-01, C-79: the next workflow is asked for once, with the variables at the END", () => {
  const definition = { autoStartNextWorkflow: true, nextWorkflowId: "shop:next" }
  const done = run(reminded(), { definition }).fire("u", "boundary:0").complete("r", { seen: 1 })
  expect(done.world.tables.chains).toEqual([{ definitionId: "shop:next", variables: { seen: 1 } }])
})

test("W-01, C-71: a retry that leads to an END at once completes the instance, whatever else had been stopped", () => {
  const steps = [
    wait("w", { nextStep: "e", boundaryEvents: [timer("d", false)] }),
    decision("d", { conditionalNextSteps: { "n == 1": "e" } }),
    end("e"),
  ]
  const running = run(steps, { variables: { n: 0 } }).fire("w", "boundary:0")
  expect(running.status).toBe("FAILED")
  expect(running.retry("d", { n: 1 }).status).toBe("COMPLETED")
  expect(running.history).toEqual(["w SKIPPED", "d FAILED", "d COMPLETED", "e COMPLETED"])
})

test("W-01: a task without nextStep ends its own path; the instance completes when none is left", () => {
  expect(run([service("a")]).complete("a").status).toBe("COMPLETED")
  const running = run([service("a", undefined, { boundaryEvents: [timer("r", false)] }), service("r")])
  running.fire("a", "boundary:0").complete("a")
  expect([running.status, running.open]).toEqual(["ACTIVE", ["r"]])
  expect(running.complete("r").status).toBe("COMPLETED")
  expect(running.world.tables.audit.at(-1)?.detail).toEqual({})
})

test("C-79: completion asks for the next workflow, once, with the variables as they are then", () => {
  const definition = { autoStartNextWorkflow: true, nextWorkflowId: "shop:next" }
  const done = run([service("a", "e"), end("e")], { variables: { a: 1, b: 1 }, definition }).complete("a", { b: 2 })
  expect(done.world.tables.chains).toEqual([{ definitionId: "shop:next", variables: { a: 1, b: 2 } }])
})

test("C-79: an instance that fails or is cancelled asks for no next workflow", () => {
  const definition = { autoStartNextWorkflow: true, nextWorkflowId: "shop:next" }
  expect(run([service("a", "e"), end("e")], { definition }).fail("a").world.lastPlan?.next).toBeUndefined()
  expect(run([service("a", "e"), end("e")], { definition }).cancel().world.lastPlan?.next).toBeUndefined()
})

test("C-56: WAITING while any of several tokens stands at a user task or a wait, ACTIVE when none does", () => {
  const running = run([
    fork("f", ["u", "w", "s"], "j"),
    user("u", { nextStep: "j" }),
    wait("w", { nextStep: "j" }),
    service("s", "j"),
    join("j", { nextStep: "last" }),
    service("last", "e"),
    end("e"),
  ])
  expect(running.status).toBe("WAITING")
  expect(running.completeTask("u").status).toBe("WAITING")
  expect(running.signal("w").status).toBe("ACTIVE")
  expect(running.complete("s").complete("last").status).toBe("COMPLETED")
})

const endless: Raw[] = [
  transformation("t", { transformations: { n: "${n + 1}" }, nextStep: "d" }),
  decision("d", { conditionalNextSteps: { "n < 0": "e", true: "t" } }),
  end("e"),
]

test("F65, C-127: a loop that never waits is stopped after 1,000 steps of one plan, with a reason", () => {
  const failed = run(endless, { variables: { n: 0 } })
  expect(failed.status).toBe("FAILED")
  expect(failed.reason).toBe("more than 1000 steps in one transaction: endless loop?")
  expect(failed.world.tables.history.size).toBe(1001)
  expect(failed.variables).toEqual({ n: 500 })
})

test("C-127, C-71: such a loop can be retried with other variables", () => {
  expect(run(endless, { variables: { n: 0 } }).retry("t", { n: -5 }).status).toBe("COMPLETED")
})

test("C-127: an instance may have 100,000 step executions, then it fails with the reason", () => {
  const steps = [service("a", "d"), decision("d", { conditionalNextSteps: { "v == 1": "e", true: "a" } }), end("e")]
  const running = run(steps, { variables: { v: 0 } })
  const { instance } = running.world.tables
  running.world.tables.instance = { ...instance, state: { ...instance.state, executions: 99_999 } }
  running.world.transact(complete(running.claim("a")))
  expect(running.status).toBe("FAILED")
  expect(running.reason).toBe("more than 100000 step executions")
})

test("C-57: each entry of a step is an execution of its own, and attempts count the entries", () => {
  const running = run(
    [service("a", "d"), decision("d", { conditionalNextSteps: { "n < 2": "a", true: "e" } }), end("e")],
    { variables: { n: 0 } },
  )
  running.complete("a", { n: 1 }).complete("a", { n: 2 })
  const rows = [...running.world.tables.history.values()]
  expect(rows.map(({ execution, stepId, attempt }) => [execution, stepId, attempt])).toEqual([
    [1, "a", 1],
    [2, "d", 1],
    [3, "a", 2],
    [4, "d", 2],
    [5, "e", 1],
  ])
  expect(rows[0]?.delta).toEqual({ n: 1 })
})

test.each(["constructor", "__proto__", "toString", "hasOwnProperty"])("C-57: a step may be called %s", (id) => {
  const running = run([service(id, id, { conditionalNextSteps: { "n > 1": "e" } }), end("e")], { variables: { n: 1 } })
  running.complete(id)
  expect(running.world.tables.instance.state.open[0]).toMatchObject({ stepId: id, attempt: 2 })
  expect(running.complete(id, { n: 2 }).status).toBe("COMPLETED")
})

/**
 * `mayRepeat` says that no step of these can be entered twice. It is wrong: a retry starts the timer beside the step anew, and a
 * join that two forks share lets a token through for each. Entries are then not counted, and the second attempt is called the first.
 */
test("C-57: attempts are counted on a path beside a step that is retried", () => {
  const beside = decision("beside", { conditionalNextSteps: { true: "r" } })
  const running = run([service("a", "e", { boundaryEvents: [timer("beside", false)] }), beside, service("r"), end("e")])
  running.fire("a", "boundary:0").fail("a").retry("a").fire("a", "boundary:0")
  const attempts = [...running.world.tables.history.values()]
    .filter((row) => row.stepId === "beside")
    .map((row) => row.attempt)
  expect(attempts).toEqual([1, 2])
})

test("C-71: a retried step goes on with the execution that failed or was stopped; one that is entered anew does not", () => {
  const running = run([
    fork("f", ["a", "b"], "j"),
    service("a", "j"),
    service("b", "j"),
    join("j", { nextStep: "again" }),
    service("again", "again", { conditionalNextSteps: { "n > 1": "e" } }),
    end("e"),
  ])
  const effects = () =>
    running.world.tables.instance.state.open.map(({ stepId, execution, effect }) => [stepId, execution, effect])
  running.fail("a").retry("a").fail("b").retry("b")
  expect(effects()).toEqual([
    ["b", 6, 3],
    ["a", 7, 2],
  ])
  running.complete("a").complete("b", { n: 1 }).complete("again")
  expect(effects()).toMatchObject([["again", expect.any(Number), undefined]])
})

test("C-57: attempts are counted at a join that two forks share", () => {
  const running = run([
    fork("f", ["g", "h"], "j"),
    fork("g", ["a", "b"], "shared"),
    fork("h", ["x", "y"], "shared"),
    ...["a", "b", "x", "y"].map((id) => service(id, "shared")),
    join("shared", { nextStep: "j" }),
    join("j", { nextStep: "e" }),
    end("e"),
  ])
  for (const id of ["a", "x", "b", "y"]) running.complete(id)
  const attempts = [...running.world.tables.history.values()]
    .filter((row) => row.stepId === "shared")
    .map((row) => row.attempt)
  expect(attempts).toEqual([1, 2])
})
