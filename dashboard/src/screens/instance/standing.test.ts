// How steps stand, what can be done, and what is drawn: told from the history and the reasons for waiting.
import { describe, expect, test } from "vitest"
import type { Definition } from "../../api/definitions.ts"
import type { StepExecution, WaitingReason } from "../../api/instance.ts"
import type { Instance } from "../../api/instances.ts"
import { drawnDefinition, knowsItsSteps } from "./drawn-definition.ts"
import { possibleActions, retriedStep } from "./possible-actions.ts"
import { executionWords, marksOf } from "./step-words.ts"
import { piecesOf, rowsOf, rowWords, spanOf, timelessOf } from "./waterfall/rows.ts"

const ID = "01JN8Z3V5E8Q2R7W4Y6T9A1B3C"
const at = (ms: number): string => new Date(ms).toISOString()

const execution = (stepId: string, from: number, to?: number, more: Partial<StepExecution> = {}): StepExecution => ({
  id: `${ID}-${stepId}`,
  stepId,
  stepType: "SERVICE_TASK",
  attemptNumber: 1,
  status: to === undefined ? "RUNNING" : "COMPLETED",
  startedAt: at(from),
  ...(to === undefined ? {} : { endedAt: at(to) }),
  ...more,
})
const recorded = (stepId: string, from: number, to?: number, more: Partial<StepExecution> = {}) =>
  execution(stepId, from, to, { id: `${ID}/${stepId}`, ...more })

const reason = (kind: WaitingReason["kind"], stepId: string, detail = {}): WaitingReason => ({
  kind,
  stepId,
  since: at(0),
  detail,
})

const instance = (more: Partial<Instance> = {}): Instance => ({
  id: ID,
  definitionId: "list",
  definitionVersion: 1,
  status: "WAITING",
  currentStepIds: [],
  variables: {},
  startedAt: at(0),
  priority: "normal",
  ...more,
})

describe("marks of the graph", () => {
  test("status, time and attempts of each step that was entered", () => {
    const attempts = [{ attempt: 1, outcome: "lost", error: "", endedAt: at(5) }] as const
    const history = [
      execution("a", 0, 1_200, { attempts }),
      execution("b", 5, 5),
      execution("c", 5, 9, { status: "FAILED" }),
      execution("c", 20, undefined, { attemptNumber: 2 }),
    ]
    expect(marksOf(history, [reason("job-leased", "c")], 1_020)).toEqual({
      a: { tone: "good", lines: ["completed · 1.2 s · 2 attempts"] },
      b: { tone: "good", lines: ["completed"] },
      c: { tone: "info", lines: ["running · 1.0 s"] },
    })
  })

  test("an execution is an entry into a step, an attempt a delivery of its job; the graph tells those of the last execution", () => {
    const lost = (attempt: number) => ({ attempt, outcome: "lost", error: "", endedAt: at(5) }) as const
    const first = execution("a", 0, 9, { status: "FAILED", attempts: [lost(1), lost(2), lost(3)] })
    const second = execution("a", 10, 20, { attemptNumber: 2 })
    expect([first, second].map(executionWords)).toEqual(["Execution 1 · 4 attempts", "Execution 2 · 1 attempt"])
    expect(executionWords(execution("end", 20, 20, { stepType: "END" }))).toBe("Execution 1")
    expect(marksOf([first], [], 0).a?.lines).toEqual(["failed · 9 ms · 4 attempts"])
    expect(marksOf([first, second], [], 0).a?.lines).toEqual(["completed · 10 ms"])
  })

  test("an open step says what it waits for; a timer beside it says nothing", () => {
    const open = [execution("a", 0), execution("b", 0)]
    const marks = marksOf(open, [reason("timer", "a"), reason("user-task", "a"), reason("timer", "b")], 0)
    expect(marks).toEqual({ a: { tone: "warn", lines: ["waits for a person"] }, b: { tone: "info", lines: ["open"] } })
  })

  test("a wait with a duration waits for its time, though a signal may end it", () => {
    const reasons = [reason("signal", "a"), reason("timer", "a", { timer: "duration", dueAt: at(3_000) })]
    const open = execution("a", 0, undefined, { stepType: "WAIT", status: "WAITING", wait: { kind: "signal" } })
    expect(marksOf([open], reasons, 0)).toEqual({ a: { tone: "calm", lines: ["waits for its time"] } })
    const limited = [reason("signal", "a"), reason("timer", "a", { timer: "total", dueAt: at(3_000) })]
    expect(marksOf([open], limited, 0).a?.lines).toEqual(["waits for a signal"])
  })

  test("a step of a list waits through its run", () => {
    const marks = marksOf([recorded("go", 0)], [reason("signal", "list", { step: "go", signals: ["paid"] })], 0)
    expect(marks.go?.lines).toEqual(["waits for a signal"])
  })
})

describe("what can be done", () => {
  test("what is open can be signalled or completed, and the instance cancelled; the end of a child is nobody's signal", () => {
    const reasons = [
      reason("user-task", "ask"),
      reason("signal", "wait", { signals: ["wait"] }),
      reason("child", "run", { child: "x" }),
    ]
    expect(possibleActions(instance(), [], reasons)).toEqual({
      retry: [],
      signal: ["wait"],
      task: ["ask"],
      cancel: true,
      restart: false,
    })
  })

  test("a failed instance can be retried at what failed it, not at what failed before", () => {
    const failed = { status: "FAILED" } as const
    const history = [
      execution("before", 0, 4, failed),
      execution("last", 4, 9, failed),
      execution("beside", 4, 9, failed),
    ]
    const actions = possibleActions(instance({ status: "FAILED", completedAt: at(9) }), history, [])
    expect(actions).toEqual({ retry: ["last", "beside"], signal: [], task: [], cancel: false, restart: true })
  })

  test("a failed list is retried as a whole, whichever of its steps failed", () => {
    const failed = { status: "FAILED" } as const
    const ended = instance({ status: "FAILED", completedAt: at(9) })
    const history = [recorded("greet", 0, 9, { ...failed, isTolerated: true }), recorded("charge", 5, 9, failed)]
    expect(possibleActions(ended, history, []).retry).toEqual(["charge"])
    expect(possibleActions(ended, [], []).retry).toEqual(["list"])
    expect(retriedStep({ id: "list", execution: "steplist" } as Definition, "charge")).toBe("list")
    expect(retriedStep({ id: "loan" } as Definition, "charge")).toBe("charge")
  })

  test.each(["COMPLETED", "CANCELLED"] as const)("a %s instance can be restarted, and nothing else", (status) => {
    const none = { retry: [], signal: [], task: [], cancel: false, restart: true }
    expect(
      possibleActions(instance({ status }), [execution("a", 0, 1, { status: "FAILED" })], [reason("signal", "a")]),
    ).toEqual(none)
  })
})

describe("a list", () => {
  const list: Definition = {
    id: "list",
    version: 1,
    name: "List",
    execution: "steplist",
    steps: [{ id: "a", name: "a", type: "SERVICE_TASK" }],
  }

  test("is drawn with the steps that only its record knows", () => {
    const items = [recorded("a", 0, 1), recorded("found", 1, 2)]
    const run = { form: "list", currentSteps: [], items } as const
    expect(drawnDefinition(list, run).steps.map(({ id }) => id)).toEqual(["a", "found"])
    expect(drawnDefinition(list, { ...run, form: "graph" }).steps).toHaveLength(1)
  })

  test("does not claim to know steps that were not recorded", () => {
    const { startedAt: _, ...pending } = recorded("a", 0, undefined, { status: "PENDING" })
    expect(knowsItsSteps(list, [pending])).toBe(false)
    expect(knowsItsSteps(list, [recorded("a", 0, 1), pending])).toBe(true)
    expect(marksOf([pending], [], 0)).toEqual({})
  })
})

describe("a function", () => {
  test("is drawn as it unfolded: branches beside each other, and together again", () => {
    const calls = [
      recorded("begin", 0),
      recorded("mail", 1, 2, { branch: ["mail"] }),
      recorded("reserve", 1, 2, { branch: ["stock"] }),
      recorded("pack", 2, 3, { branch: ["stock"] }),
      recorded("end", 4),
    ]
    const drawn = drawnDefinition(
      { id: "f", version: 1, name: "F", steps: [] },
      { form: "function", currentSteps: [], items: calls },
    )
    expect(drawn.steps.map(({ id, nextStep, parallelNextSteps }) => [id, parallelNextSteps ?? nextStep])).toEqual([
      ["begin", ["mail", "reserve"]],
      ["mail", "end"],
      ["reserve", "pack"],
      ["pack", "end"],
      ["end", undefined],
    ])
  })
})

describe("the waterfall", () => {
  const definition: Definition = {
    id: "d",
    version: 1,
    name: "D",
    steps: [{ id: "a", name: "Charge", type: "SERVICE_TASK" }],
  }
  const attempts = [{ attempt: 1, outcome: "failed", error: "busy", endedAt: at(40), workerId: "w" }] as const
  const [row] = rowsOf(definition, [execution("a", 0, 100, { attempts, attemptNumber: 2, workerId: "w" })])

  test("a bar is in pieces where attempts ended", () => {
    expect(row && piecesOf(row, 100)).toEqual([
      { key: "attempt 1 failed", from: 0, to: 40, kind: "broken" },
      { key: "last", from: 40, to: 100, kind: "last" },
    ])
  })

  test("the attempts at a step of a list are before its last one; what was not reached has no bar", () => {
    const own = [{ attempt: 1, outcome: "failed", error: "busy", startedAt: at(10), endedAt: at(20) }] as const
    const { startedAt: _, ...pending } = execution("b", 0, undefined, { status: "PENDING" })
    const steps = [execution("a", 50, 60, { attempts: own }), pending]
    const rows = rowsOf(definition, steps)
    expect(rows.map(({ startedAt }) => startedAt)).toEqual([10])
    expect(rows[0] && piecesOf(rows[0], 60)).toEqual([
      { key: "attempt 1 failed", from: 10, to: 20, kind: "broken" },
      { key: "last", from: 50, to: 60, kind: "last" },
    ])
    expect(timelessOf(steps).map(({ stepId }) => stepId)).toEqual(["b"])
  })

  test("an attempt that was lost with its worker is a piece of its own kind, with the reason", () => {
    const lost = {
      attempt: 1,
      outcome: "lost",
      error: "heartbeat timeout",
      startedAt: at(10),
      endedAt: at(40),
    } as const
    const [row] = rowsOf(definition, [execution("a", 0, 100, { attempts: [{ ...lost, workerId: "w-1" }] })])
    expect(row && piecesOf(row, 100)).toMatchObject([
      { from: 10, to: 40, kind: "lost" },
      { from: 40, to: 100, kind: "last" },
    ])
    expect(row && rowWords(row, 0)).toContain("attempt 1 was lost with w-1: heartbeat timeout at ")
    const [unknown] = rowsOf(definition, [execution("a", 0, 100, { attempts: [lost] })])
    expect(unknown && rowWords(unknown, 0)).toContain("was lost with its worker: heartbeat")
  })

  test("all of a row is said in a sentence", () => {
    expect(row && rowWords(row, 0)).toMatch(
      /^Charge, execution 2 · completed · .*\.000.* to .*\.100.* \(100 ms\) · attempt 1 failed at .* · by w$/,
    )
  })

  test("it reaches to the end, or to now; what the engine's clock is ahead of ours is not cut off", () => {
    const rows = rowsOf(definition, [execution("a", 10, 100)])
    expect(spanOf(instance({ completedAt: at(150) }), rows, 999)).toMatchObject({ from: 0, to: 150 })
    expect(spanOf(instance(), rows, 300)).toMatchObject({ to: 300 })
    expect(spanOf(instance(), rows, 50)).toMatchObject({ to: 100, moments: [10, 100] })
  })
})
