// A definition made ready to run.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${…}` is the expression notation
import { describe, expect, test } from "vitest"
import { compileDefinition } from "./compile-definition.ts"
import { evaluate } from "./expressions/evaluate.ts"
import {
  document,
  end,
  everything,
  fork,
  join,
  parsed,
  type Raw,
  service,
  timer,
  transformation,
  user,
} from "./fixtures.ts"

const compiled = (value: unknown) => compileDefinition(parsed(value), 4)
const all = compiled(everything)
const reads = (steps: Raw[], more: Raw = {}): boolean => compiled(document(steps, more)).readsVariables

test("C-52: it knows its id and version, its entry and its steps", () => {
  expect([all.id, all.version, all.entry.id]).toEqual(["order", 4, "charge"])
  expect(all.step("review").type).toBe("USER_TASK")
  expect(all.hasStep("review")).toBe(true)
  expect(all.hasStep("toString")).toBe(false)
  expect(() => all.step("nowhere")).toThrow(/assertion failed/)
})

test("C-128: deadline and retention in milliseconds", () => {
  expect([all.deadlineMs, all.retainMs]).toEqual([30 * 86_400_000, 90 * 86_400_000])
  expect("deadlineMs" in compiled(document([end("e")]))).toBe(false)
})

test("C-45: conditions keep the order of the document", () => {
  const branches = all.branches(all.step("charge"))
  expect(branches.map(({ source, target }) => [source, target])).toEqual([
    ["amount > 100", "review"],
    ["${paid}", "split"],
  ])
  expect(evaluate(branches[0]!.expression, { amount: 101 }, { nowMs: 0 })).toBe(true)
  expect(all.branches(all.step("done"))).toEqual([])
})

test("C-46: assignments are an expression or a value, in order", () => {
  const assignments = all.assignments(all.step("compute"))
  expect(assignments.map(({ name }) => name)).toEqual(["total", "at", "note"])
  expect(assignments.map((one) => ("expression" in one ? one.expression.source : one.value))).toEqual([
    "${amount * 2}",
    "${now()}",
    "done",
  ])
})

test("C-50: boundary timers, and the timers that start with a step", () => {
  const charge = all.step("charge")
  expect([all.boundaryTimer(charge, 0), all.boundaryTimer(charge, 1)]).toEqual([
    { index: 0, durationMs: 7_200_000, interrupting: true, targetStepId: "late" },
    { index: 1, durationMs: 3_600_000, interrupting: false, targetStepId: "remind" },
  ])
  expect(all.timers(charge)).toEqual([
    { timer: "boundary:0", dueInMs: 7_200_000 },
    { timer: "boundary:1", dueInMs: 3_600_000 },
    { timer: "queue", dueInMs: 600_000 },
    { timer: "total", dueInMs: 86_400_000 },
  ])
  expect(all.hasTimers(charge)).toBe(true)
  expect(all.hasTimers(all.step("ship"))).toBe(false)
})

test("C-128: timeouts in milliseconds, only those that are set", () => {
  expect(all.timeouts(all.step("charge"))).toEqual({ runMs: 30_000, queueMs: 600_000, totalMs: 86_400_000 })
  expect(all.timeouts(all.step("ship"))).toEqual({})
  expect(all.dueInMs(all.step("review"))).toBe(2 * 86_400_000)
  expect(all.dueInMs(all.step("ship"))).toBeUndefined()
})

describe("C-43: retries", () => {
  const policy = (more: Raw) => {
    const definition = compiled(document([service("a", undefined, more)]))
    return definition.retryPolicy(definition.entry)
  }
  const immediate = { retries: 0, baseMs: 0, factor: 1, capMs: 0, jitter: "none" }

  test("C-43: none by default", () => expect(policy({})).toEqual(immediate))
  test("C-43: retryCount is shorthand for immediate retries", () => {
    expect(policy({ retryCount: 2 })).toEqual({ ...immediate, retries: 2 })
    expect(policy({ retry: { retries: 2 } })).toEqual({ ...immediate, retries: 2 })
  })
  test("a policy with a base doubles up to an hour", () => {
    expect(policy({ retry: { retries: 5, base: "PT1M" } })).toEqual({
      retries: 5,
      baseMs: 60_000,
      factor: 2,
      capMs: 3_600_000,
      jitter: "none",
    })
    expect(policy({ retry: { retries: 5, base: "P1D" } }).capMs).toBe(86_400_000)
  })
  test("a full policy is taken as it is", () => {
    expect(all.retryPolicy(all.step("charge"))).toEqual({
      retries: 3,
      baseMs: 1000,
      factor: 3,
      capMs: 60_000,
      jitter: "full",
    })
  })
})

describe("whether a plan needs the variables", () => {
  test("not for tasks and literals", () => {
    expect(
      reads([
        service("a", "b"),
        transformation("b", { transformations: { x: 1, t: "${now()}" }, nextStep: "e" }),
        end("e"),
      ]),
    ).toBe(false)
  })
  test("for an expression over a variable", () => {
    expect(reads([transformation("b", { transformations: { x: "${y}" }, nextStep: "e" }), end("e")])).toBe(true)
  })
  test("for conditions, and for chaining, which hands them on", () => {
    expect(reads([user("a", { conditionalNextSteps: { ok: "e" } }), end("e")])).toBe(true)
    expect(reads([end("e")], { autoStartNextWorkflow: true, nextWorkflowId: "n" })).toBe(true)
    expect(reads([end("e")], { autoStartNextWorkflow: false, nextWorkflowId: "n" })).toBe(false)
  })
})

describe("whether a step can be entered twice", () => {
  const repeats = (steps: Raw[]): boolean => compiled(document(steps)).mayRepeat
  const branch = (a: string, b: string): Raw[] => [
    service("a", a),
    service("b", b),
    join("j", { nextStep: "e" }),
    end("e"),
  ]

  test("not in a straight line, nor where ways only part and meet", () => {
    expect(repeats([service("a", "b"), service("b", "e"), end("e")])).toBe(false)
    expect(repeats([user("a", { conditionalNextSteps: { x: "b" }, nextStep: "e" }), service("b", "e"), end("e")])).toBe(
      false,
    )
    expect(repeats([service("a", "e", { boundaryEvents: [timer("e", true)] }), end("e")])).toBe(false)
  })
  test("not in a fork whose branches have their own steps", () => {
    expect(repeats([fork("f", ["a", "b"], "j"), ...branch("j", "j")])).toBe(false)
  })
  test("in a loop", () => {
    expect(repeats([user("a", { conditionalNextSteps: { again: "a" } })])).toBe(true)
    expect(repeats([service("a", "b"), user("b", { conditionalNextSteps: { again: "a" } })])).toBe(true)
  })
  test("where two tokens can come by", () => {
    expect(repeats([fork("f", ["a", "b"], "j"), ...branch("x", "x"), service("x", "j")])).toBe(true)
    expect(repeats([service("a", "e", { boundaryEvents: [timer("e", false)] }), end("e")])).toBe(true)
  })
})

describe("a step list", () => {
  const list = (steps: Raw[], more: Raw = {}) => compiled(document(steps, { execution: "steplist", ...more }))
  const tasks = (...more: Raw[]) => more.map((each, at) => service(`s${at}`, undefined, each))

  test("is one job, named like the definition, whatever its steps say", () => {
    const { entry, isList, isFunction, mayRepeat, readsVariables } = list(tasks({}, {}))
    expect(entry).toMatchObject({ id: "order", type: "SERVICE_TASK", jobType: "order", retry: { retries: 20 } })
    expect({ isList, isFunction, mayRepeat, readsVariables }).toEqual({
      isList: true,
      isFunction: false,
      mayRepeat: false,
      readsVariables: false,
    })
    expect(entry).not.toHaveProperty("downstream")
  })

  test("takes the retries of its first step, and the downstream of the first that names one", () => {
    const { entry } = list(tasks({ retry: { retries: 2 } }, { downstream: "psp" }))
    expect(entry).toMatchObject({ retry: { retries: 2 }, downstream: "psp" })
  })

  test("knows of waits that its worker meets on the way", () => {
    expect(list(tasks({})).step("later")).toMatchObject({ id: "later", type: "USER_TASK" })
    expect(list(tasks({}), { metadata: { form: "function" } }).isFunction).toBe(true)
  })
})
