// The steps of a run: what is told of them when little is known, and where lists, functions and graphs differ.
import { describe, expect, test } from "vitest"
import { compileDefinition } from "../../definitions/compile-definition.ts"
import type { Definition, Step } from "../../definitions/definition.ts"
import type { WaitingReason } from "../waiting.ts"
import type { AttemptFact, ClosedExecution, RecordedFact, RunFacts } from "./run-facts.ts"
import { currentSteps, tellSteps } from "./tell-steps.ts"

const ID = "01JN8Z3V5E8Q2R7W4Y6T9A1B3C"

const step = (id: string, more: object = {}) => ({ id, name: id, type: "SERVICE_TASK", jobType: id, ...more }) as Step
const compiled = (more: object) =>
  compileDefinition({ id: "flow", name: "Flow", steps: [], ...more } as never as Definition, 1)
const list = (recover: "restart" | "resume") =>
  compiled({
    execution: "steplist",
    recover,
    steps: [step("a"), { id: "w", name: "w", type: "WAIT", nextStep: "end" }, { id: "end", name: "End", type: "END" }],
  })
const fn = compiled({ execution: "steplist", recover: "resume", steps: [step("flow")], metadata: { form: "function" } })
const graph = compiled({
  steps: [
    step("a", { nextStep: "b", onError: "continue" }),
    step("b", { nextStep: "end", boundaryEvents: [{ type: "ERROR", targetStepId: "end" }] }),
    { id: "end", name: "End", type: "END" },
  ],
})

const closed = (stepId: string, more: Partial<ClosedExecution> = {}): ClosedExecution => ({
  execution: 1,
  stepId,
  stepType: "SERVICE_TASK",
  attempt: 1,
  status: "COMPLETED",
  startedAt: 0,
  endedAt: 100,
  failureReason: null,
  output: undefined,
  workerId: null,
  detail: {},
  ...more,
})
const failedRun = (failureReason: string | null, more: Partial<ClosedExecution> = {}) =>
  closed("flow", { status: "FAILED", failureReason, workerId: "w-1", ...more })
const attempt = (more: Partial<AttemptFact> = {}): AttemptFact => ({
  execution: 1,
  attempt: 1,
  outcome: "failed",
  error: "busy",
  endedAt: 50,
  workerId: null,
  step: "a",
  detail: {},
  ...more,
})
const recorded = (name: string, more: Partial<RecordedFact> = {}): RecordedFact => ({
  name,
  status: "COMPLETED",
  value: null,
  error: null,
  startedAt: 0,
  endedAt: 10,
  detail: {},
  ...more,
})
const reason = (kind: string, detail: object = {}, stepId = "flow") =>
  ({ kind, stepId, since: "", detail: { message: `because of ${kind}`, ...detail } }) as unknown as WaitingReason
const open = (stepId: string, execution = 1) => ({ stepId, execution, attempt: 1, startedAt: 0, fork: 0 })

const tell = (definition: RunFacts["definition"], more: Partial<RunFacts> = {}) =>
  tellSteps({
    instanceId: ID,
    hasEnded: false,
    definition,
    closed: [],
    open: [],
    attempts: [],
    recorded: [],
    reasons: [],
    holders: new Map(),
    children: new Map(),
    ...more,
  } as RunFacts)
const standings = (steps: ReturnType<typeof tell>) => steps.map(({ stepId, status }) => `${stepId} ${status}`)

describe("a list", () => {
  test("that is queued comes to its first step; one that a worker has is at the first that is not done", () => {
    const queued = tell(list("restart"), { open: [open("flow")] as never, reasons: [reason("job-queued")] })
    expect(queued[0]).toMatchObject({
      status: "WAITING",
      wait: { kind: "job-queued", message: "because of job-queued" },
    })
    expect(currentSteps(queued)).toEqual(["a"])
    const held = { open: [open("flow")] as never, reasons: [reason("job-leased")], holders: new Map([[1, "w-1"]]) }
    expect(tell(list("resume"), held)[0]).toMatchObject({ status: "RUNNING", workerId: "w-1" })
    expect(standings(tell(list("restart"), held))).toEqual(["a PENDING", "w PENDING"])
    expect(tell(list("resume"))[0]).toMatchObject({ status: "RUNNING" })
  })

  test("that ended before its worker told any steps has done all of them, or failed where its reason says", () => {
    expect(standings(tell(list("restart"), { hasEnded: true, closed: [closed("flow")] }))).toEqual([
      "a COMPLETED",
      "w COMPLETED",
    ])
    const [a] = tell(list("restart"), { hasEnded: true, closed: [failedRun("a: no")] })
    expect(a).toMatchObject({ status: "FAILED", failureReason: "no", workerId: "w-1" })
    expect(a?.startedAt).toBeUndefined()
    expect(standings(tell(list("restart"), { hasEnded: true, closed: [failedRun("bad input")] }))[0]).toBe("a PENDING")
    expect(standings(tell(list("restart"), { hasEnded: true, closed: [failedRun(null)] }))[0]).toBe("a PENDING")
  })

  test("tells what its worker said of the failure, and an earlier end as an attempt", () => {
    const detail = { step: "b", stack: "at b", startedAt: 90, calls: [{ name: "a", startedAt: 0, endedAt: 90 }] }
    const first = failedRun("a: no", { execution: 1, detail: { step: "a" } })
    const again = failedRun("no", { execution: 2, detail, workerId: null })
    const skipped = closed("flow", { execution: 3, status: "SKIPPED" })
    const steps = tell(list("restart"), { hasEnded: true, closed: [first, again] })
    expect(steps.map(({ stepId }) => stepId)).toEqual(["a", "w", "b"])
    expect(steps[0]).toMatchObject({ status: "COMPLETED", attempts: [{ attempt: 1, error: "no", workerId: "w-1" }] })
    expect(steps[2]).toMatchObject({ status: "FAILED", stack: "at b", startedAt: "1970-01-01T00:00:00.090Z" })
    expect(tell(list("restart"), { hasEnded: true, closed: [skipped] })[0]?.attempts).toBeUndefined()
  })

  test("a worker that was lost counts where the run was: at the step that ended next, the one that failed, or the one it is at", () => {
    const lost = attempt({
      outcome: "lost",
      step: null,
      endedAt: 5,
      detail: { stack: "s", startedAt: 1 },
      workerId: "w",
    })
    const later = tell(list("resume"), {
      recorded: [recorded("w", { endedAt: 20 }), recorded("a", { endedAt: 9 })],
      attempts: [lost],
    })
    expect(later[0]?.attempts).toHaveLength(1)
    const failed = { hasEnded: true, closed: [failedRun("a: no")], attempts: [lost, { ...lost, attempt: 2 }] }
    expect(tell(list("restart"), failed)[0]?.attempts).toHaveLength(2)
    expect(tell(list("resume"), { attempts: [lost] })[0]?.attempts).toHaveLength(1)
  })

  test("an attempt that was lost began with its step, and not with the steps that it did before", () => {
    const detail = { startedAt: 1 }
    const lost = attempt({ outcome: "lost", step: null, endedAt: 50, detail, workerId: "w" })
    const done = [recorded("a", { startedAt: 2, endedAt: 9 }), recorded("w", { startedAt: 60, endedAt: 70 })]
    const [a, w] = tell(list("resume"), { recorded: done, attempts: [lost] })
    expect(a?.attempts).toBeUndefined()
    expect(w?.attempts).toMatchObject([{ outcome: "lost", startedAt: "1970-01-01T00:00:00.009Z", workerId: "w" }])
    const unknown = tell(list("resume"), { recorded: done, attempts: [{ ...lost, detail: {} }] })
    expect(unknown[1]?.attempts?.[0]?.startedAt).toBeUndefined()
  })

  test("what was lost where no step is known is told of the run as a whole, before its steps", () => {
    const lost = attempt({ outcome: "lost", step: null, endedAt: 5, detail: { startedAt: 1 } })
    const [whole, ...rest] = tell(list("restart"), { attempts: [lost], reasons: [reason("job-leased")] })
    expect(whole).toMatchObject({ stepId: "flow", status: "RUNNING", attempts: [{ outcome: "lost" }] })
    expect(standings(rest)).toEqual(["a PENDING", "w PENDING"])
    const calls = { calls: ["a", "w"].map((name) => ({ name, startedAt: 6, endedAt: 8 })) }
    const ended = { hasEnded: true, closed: [closed("flow", { detail: calls })], attempts: [lost] }
    expect(standings(tell(list("restart"), ended))).toEqual(["flow COMPLETED", "a COMPLETED", "w COMPLETED"])
    const [only] = tell(fn, { attempts: [lost] })
    expect(only).toMatchObject({ stepId: "flow", status: "RUNNING", attempts: [{ outcome: "lost" }] })
  })

  test("that died of lost workers has failed where they were; the loss that ended it is no attempt before", () => {
    const lost = (n: number, endedAt: number) =>
      attempt({
        outcome: "lost",
        attempt: n,
        step: null,
        endedAt,
        workerId: `w-${n}`,
        detail: { startedAt: endedAt - 20 },
      })
    const pill = failedRun("poison pill", { workerId: null, endedAt: 100 })
    const facts = { hasEnded: true, closed: [pill], attempts: [lost(1, 50), lost(2, 100)] }
    const [, w] = tell(list("resume"), { ...facts, recorded: [recorded("a", { endedAt: 10 })] })
    expect(w).toMatchObject({
      status: "FAILED",
      failureReason: "poison pill",
      workerId: "w-2",
      startedAt: "1970-01-01T00:00:00.080Z",
    })
    expect(w?.attempts?.map((one) => one.attempt)).toEqual([1])
    expect(standings(tell(list("restart"), facts))).toEqual(["flow FAILED", "a PENDING", "w PENDING"])
    expect(standings(tell(fn, facts))).toEqual(["flow FAILED"])
    const late = failedRun("timeout.run: the attempt timed out", { detail: { startedAt: 3 } })
    expect(tell(list("resume"), { hasEnded: true, closed: [late] })[0]).toMatchObject({
      status: "FAILED",
      workerId: "w-1",
    })
  })

  test("that failed without a word of reason or worker is told with what is there", () => {
    const silent = failedRun(null, { workerId: null, endedAt: 100 })
    const lost = attempt({ outcome: "lost", step: null, endedAt: 100, workerId: null })
    const [a] = tell(list("resume"), { hasEnded: true, closed: [silent], attempts: [lost] })
    expect(a).toMatchObject({ stepId: "a", status: "FAILED", failureReason: "" })
    expect(a?.workerId).toBeUndefined()
    const late = failedRun(null, { workerId: null, detail: { startedAt: 3 } })
    expect(tell(list("resume"), { hasEnded: true, closed: [late] })[0]?.workerId).toBeUndefined()
  })

  test("what it did under another version of the list stands where it was done", () => {
    const ended = { hasEnded: true, closed: [closed("flow")] }
    const done = ["other", "a", "between", "w"].map((name, at) => recorded(name, { endedAt: at }))
    expect(tell(list("resume"), { ...ended, recorded: done }).map(({ stepId }) => stepId)).toEqual([
      "other",
      "a",
      "between",
      "w",
    ])
    const calls = [
      { name: "w", startedAt: 1, endedAt: 2 },
      { name: "new", startedAt: 2, endedAt: 3 },
    ]
    const restarted = { hasEnded: true, closed: [closed("flow", { detail: { calls } })] }
    expect(standings(tell(list("restart"), restarted))).toEqual(["a SKIPPED", "w COMPLETED", "new COMPLETED"])
  })

  test("a step that was done under the name that it had before keeps that name", () => {
    const renamed = compiled({
      execution: "steplist",
      recover: "resume",
      steps: [step("a"), step("b")],
      metadata: { elements: [{ id: "a", was: ["older", "old"] }, { id: "b" }] },
    })
    expect(standings(tell(renamed, { recorded: [recorded("old")] }))).toEqual(["old COMPLETED", "b RUNNING"])
    expect(standings(tell(renamed, { recorded: [recorded("a")] }))).toEqual(["a COMPLETED", "b RUNNING"])
  })

  test("waits at the step of its last attempt, as far as that is known", () => {
    const waiting = { open: [open("flow")] as never, reasons: [reason("retry", { dueAt: "soon" })] }
    expect(tell(list("restart"), { ...waiting, attempts: [attempt()] })[0]).toMatchObject({
      status: "WAITING",
      wait: { kind: "retry", dueAt: "soon" },
    })
    expect(standings(tell(list("restart"), { ...waiting, attempts: [attempt({ step: null })] }))).toEqual([
      "flow WAITING",
      "a PENDING",
      "w PENDING",
    ])
  })

  test("a completed list has skipped what is not on record before something that is", () => {
    const ended = { hasEnded: true, closed: [closed("flow")] }
    expect(standings(tell(list("resume"), { ...ended, recorded: [recorded("w")] }))).toEqual([
      "a SKIPPED",
      "w COMPLETED",
    ])
    expect(standings(tell(list("resume"), { ...ended, recorded: [recorded("a")] }))).toEqual([
      "a COMPLETED",
      "w COMPLETED",
    ])
  })

  test("a live list that a wait has led to a later step has skipped what is between, and is there", () => {
    const between = [step("a"), step("b"), step("c"), step("d")]
    const flow = compiled({ execution: "steplist", recover: "resume", steps: between })
    const late = recorded("a", { status: "FAILED", value: { goTo: "c" }, error: "was not answered" })
    const leased = { recorded: [late], open: [open("flow")] as never, reasons: [reason("job-leased")] }
    expect(standings(tell(flow, leased))).toEqual(["a FAILED", "b SKIPPED", "c RUNNING", "d PENDING"])
    const lookalikes = [
      recorded("a", { value: { goTo: "c" } }),
      recorded("a", { status: "FAILED", value: { goTo: 7 } }),
    ]
    for (const one of lookalikes) expect(standings(tell(flow, { ...leased, recorded: [one] }))[1]).toBe("b RUNNING")
  })

  test("a wait is told by its reason; without one it is over, or was never answered", () => {
    const wait = recorded("w", {
      status: "WAITING",
      value: { until: null },
      error: "refused",
      detail: { kind: "signal" },
    })
    const told = (more: Partial<RunFacts>) => tell(list("resume"), { recorded: [recorded("a"), wait], ...more })[1]
    expect(told({ reasons: [reason("signal", { step: "w" })] })).toMatchObject({
      status: "WAITING",
      failureReason: "refused",
    })
    expect(told({ reasons: [reason("user-task", {}, "w")] })).toMatchObject({ wait: { kind: "user-task" } })
    expect(told({})).toMatchObject({ status: "RUNNING", wait: { kind: "signal" } })
    expect(told({ hasEnded: true })).toMatchObject({ status: "SKIPPED", endedAt: expect.any(String) })
    const bare = { ...wait, error: null, detail: {} }
    expect(tell(list("resume"), { recorded: [bare] })[1]?.wait).toBeUndefined()
    const again = { ...wait, value: {} }
    expect(tell(list("resume"), { recorded: [again], hasEnded: true })[1]?.status).toBe("PENDING")
    expect(tell(list("resume"), { recorded: [{ ...wait, value: null }], hasEnded: true })[1]?.status).toBe("PENDING")
  })

  test("a wait that was not answered in time has failed with the time for which it has waited, at each try of the run", () => {
    const wait = recorded("w", { status: "WAITING", value: {}, startedAt: 20, detail: { kind: "signal" } })
    const late = (execution: number, startedAt: number) =>
      failedRun("was not answered", { execution, startedAt, endedAt: startedAt + 90, detail: { step: "w" } })
    const [, once] = tell(list("resume"), { hasEnded: true, closed: [late(1, 0)], recorded: [wait] })
    expect(once).toMatchObject({ status: "FAILED", wait: { kind: "signal" }, startedAt: "1970-01-01T00:00:00.020Z" })
    const [, twice] = tell(list("resume"), { hasEnded: true, closed: [late(1, 0), late(2, 500)], recorded: [wait] })
    expect(twice).toMatchObject({
      startedAt: "1970-01-01T00:00:00.500Z",
      attempts: [{ startedAt: "1970-01-01T00:00:00.020Z", endedAt: "1970-01-01T00:00:00.090Z" }],
    })
  })

  test("a task that only the engine knows of is told as its execution", () => {
    const task = closed("w", { stepType: "USER_TASK", execution: 2 })
    expect(tell(list("resume"), { closed: [task] })[1]).toMatchObject({ status: "COMPLETED" })
  })

  test("a failure that it went on after is tolerated, with what is known of it", () => {
    const failure = { status: "FAILED", error: "no", detail: { stack: "at a" } } as const
    expect(tell(list("resume"), { recorded: [recorded("a", failure)] })[0]).toMatchObject({
      isTolerated: true,
      failureReason: "no",
      stack: "at a",
    })
    const [a] = tell(list("resume"), { recorded: [recorded("a", { status: "FAILED" })] })
    expect(a?.failureReason).toBe("No reason was recorded.")
  })
})

test("a function has the calls that it has made, in the order of their beginning, with kinds, branches and children", () => {
  const calls = [
    recorded("late", { startedAt: 9, value: 7, detail: { branch: ["x"] } }),
    recorded("ask", { startedAt: 1, detail: { kind: "user-task" } }),
    recorded("nap", { startedAt: 2, detail: { kind: "sleep" } }),
    recorded("heard", { startedAt: 2, detail: { kind: "signal" } }),
    recorded("child", { startedAt: 4, detail: { kind: "child" } }),
  ]
  const retried = { reasons: [reason("retry")], attempts: [attempt({ step: "pay" }), attempt({ step: "pay2" })] }
  const steps = tell(fn, { recorded: calls, children: new Map([["child", "c-1"]]), ...retried })
  expect(steps.map(({ stepId, stepType }) => `${stepId} ${stepType}`)).toEqual([
    "ask USER_TASK",
    "nap WAIT",
    "heard WAIT",
    "child SERVICE_TASK",
    "late SERVICE_TASK",
    "pay SERVICE_TASK",
    "pay2 SERVICE_TASK",
  ])
  expect(steps[3]).toMatchObject({ childId: "c-1", wait: { kind: "child" } })
  expect(steps[4]).toMatchObject({ branch: ["x"], output: 7 })
  expect(currentSteps(steps)).toEqual(["pay2"])
})

describe("a graph", () => {
  test("has each entry into a step; a failure that leads on is tolerated", () => {
    const failed = { status: "FAILED", failureReason: "no" } as const
    const steps = tell(graph, {
      closed: [
        closed("b", {
          ...failed,
          execution: 2,
          startedAt: 100,
          workerId: "w",
          output: { n: 1 },
          detail: { stack: "s" },
        }),
        closed("a", { ...failed, execution: 1 }),
        closed("gone", { ...failed, execution: 3, startedAt: 200 }),
        closed("a", { execution: 4, attempt: 2, startedAt: 200 }),
        closed("end", { ...failed, execution: 5, startedAt: 300 }),
      ],
      attempts: [attempt({ execution: 2 })],
      open: [open("a", 2), open("b", 6), open("end", 7), open("b", 8)] as never,
      reasons: [reason("signal", {}, "end"), reason("timer", {}, "b")],
      holders: new Map([[6, "w-2"]]),
    })
    expect(steps.filter(({ isTolerated }) => isTolerated).map(({ stepId }) => stepId)).toEqual(["a", "b"])
    expect(steps.find(({ stepId, status }) => stepId === "b" && status === "FAILED")).toMatchObject({
      stack: "s",
      output: { n: 1 },
      attempts: [{ error: "busy" }],
    })
    expect(steps.find(({ workerId }) => workerId === "w-2")).toMatchObject({ stepId: "b", status: "RUNNING" })
    expect(currentSteps(steps)).toEqual(["b", "end"])
  })

  test("a step that died of lost workers has the worker that was lost last, and not that loss as an attempt before", () => {
    const lost = (n: number, endedAt: number) =>
      attempt({ outcome: "lost", attempt: n, step: null, endedAt, workerId: `w-${n}` })
    const [dead] = tell(graph, {
      hasEnded: true,
      closed: [closed("a", { status: "FAILED", failureReason: "poison pill" })],
      attempts: [lost(1, 50), lost(2, 100)],
    })
    expect(dead).toMatchObject({ workerId: "w-2", attempts: [{ attempt: 1, outcome: "lost" }] })
    expect(dead?.attempts).toHaveLength(1)
  })

  test("of a definition that cannot be read any more has at least its executions", () => {
    const steps = tell(undefined, { closed: [closed("a", { status: "FAILED" })], open: [open("b", 2)] as never })
    expect(steps.map(({ stepId, stepType }) => [stepId, stepType])).toEqual([
      ["a", "SERVICE_TASK"],
      ["b", "SERVICE_TASK"],
    ])
  })
})
