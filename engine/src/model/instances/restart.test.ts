// Where a restart may begin, and what it takes over.
import { describe, expect, test } from "vitest"
import { compileDefinition } from "../definitions/compile-definition.ts"
import type { Definition } from "../definitions/definition.ts"
import { caught, document, end, fork, join, parsed, type Raw, service, timer } from "../definitions/fixtures.ts"
import { finishDraft, openDraft } from "./draft.ts"
import { emptyState } from "./instance.ts"
import { planStart } from "./plan-start.ts"
import { type OnRecord, restartFault, takenOver } from "./restart.ts"

const compiled = (steps: Raw[], more: Raw = {}) => compileDefinition(parsed(document(steps, more)), 1)
const done = (...names: string[]): OnRecord[] => names.map((name) => ({ name, status: "COMPLETED" }))

const graph = compiled([
  service("a", "f"),
  fork("f", ["l", "r"], "j"),
  service("l", "j", { boundaryEvents: [caught("x"), timer("beside", false)] }),
  service("x", "j"),
  service("r", "j"),
  join("j", { nextStep: "z" }),
  service("z", "e"),
  service("beside"),
  end("e"),
])
const resuming = { execution: "steplist", recover: "resume" }
const metadata = { form: "list", elements: [{ id: "b", was: ["old-b"] }, { id: "c", kind: "sleep" }, { id: "a" }] }
const list = compiled([service("a"), service("b"), service("c")], { ...resuming, metadata })
const plain = compiled([service("a"), service("b")], { ...resuming })
const restarting = compiled([service("a"), service("b")], { execution: "steplist" })
const run = compileDefinition(
  { ...(document([service("order")], resuming) as unknown as Definition), metadata: { form: "function" } },
  1,
)
const faultOf = (...given: Parameters<typeof restartFault>): string | undefined => restartFault(...given)?.message

describe("a restart from a step", () => {
  test.each(["a", "f", "z", "e", "beside"])("of a graph may begin with %s, outside of every fork", (stepId) => {
    expect(faultOf(graph, stepId, [])).toBeUndefined()
  })

  test.each(["l", "x", "r", "j"])("of a graph may not begin with %s, inside the fork or its join", (stepId) => {
    expect(faultOf(graph, stepId, [])).toContain(`${stepId} is inside a fork`)
  })

  test("may not begin with a step that is not there, nor with the list as a whole", () => {
    expect(faultOf(graph, "nowhere", [])).toContain("no step nowhere")
    expect(faultOf(list, "nowhere", [])).toContain("no step nowhere")
    expect(faultOf(list, "order", [])).toContain("no step order")
  })

  test("needs a list that keeps a record, and a function that has the step on record", () => {
    expect(faultOf(list, "b", [])).toBeUndefined()
    expect(faultOf(restarting, "b", [])).toContain("keeps no record")
    expect(faultOf(run, "pay", done("pay"))).toBeUndefined()
    expect(faultOf(run, "pay", done("ask", "tell"))).toContain("it has ask, tell")
    expect(faultOf(run, "pay", [])).toContain("it has none")
  })

  test("of a list takes over what is on record of the steps before it, under their old names too", () => {
    expect(takenOver(list, "c", done("c", "a", "old-b"))).toEqual(["a", "old-b"])
    expect(takenOver(list, "c", [{ name: "a", status: "WAITING" }, ...done("b")])).toEqual(["b"])
    expect(takenOver(list, "a", done("a", "b"))).toEqual([])
    expect(takenOver(plain, "b", done("a", "b"))).toEqual(["a"])
  })

  test("of a list takes over the way that a wait took, unless it led past the step", () => {
    const way = (goTo: string): OnRecord => ({ name: "a", status: "FAILED", value: JSON.stringify({ goTo }) })
    expect(takenOver(list, "c", [way("c")])).toEqual(["a"])
    expect(takenOver(list, "c", [way("b")])).toEqual(["a"])
    expect(takenOver(list, "b", [way("c")])).toEqual([])
    expect(takenOver(list, "b", [{ name: "a", status: "FAILED", value: null }])).toEqual(["a"])
    expect(takenOver(list, "b", [{ name: "a", status: "FAILED", value: "null" }])).toEqual(["a"])
  })

  test("of a function takes over what ended before the step", () => {
    expect(takenOver(run, "c", done("b", "a", "c", "d"))).toEqual(["b", "a"])
    expect(takenOver(run, "c", [{ name: "a", status: "WAITING" }, ...done("b", "c")])).toEqual(["b"])
    expect(takenOver(run, "c", [{ name: "a", status: "FAILED" }, ...done("b", "c")])).toEqual(["a", "b"])
  })

  function planned(definition: typeof list, stepId?: string) {
    const context = { nowMs: 0, random: () => 0, maxLostLeases: 3, sizes: { maxWriteBytes: 1, maxVariablesBytes: 1 } }
    const instance = { id: "i", status: "ACTIVE", priority: "normal", businessKey: undefined, variables: {} } as const
    const draft = openDraft(definition, { ...instance, state: emptyState, hasVariables: true, version: 0 }, context)
    planStart(draft, "ada", { of: "01A", stepId })
    return finishDraft(draft)
  }

  test("puts a token into the step of a graph; without a step it begins as any other", () => {
    expect(planned(graph, "z").newJobs).toMatchObject([{ execution: 1, stepId: "z" }])
    const plan = planned(graph)
    expect(plan.newJobs).toMatchObject([{ execution: 1, stepId: "a" }])
    expect(plan.audit[0]?.detail).toEqual({ definitionId: "order", version: 1, restartOf: "01A" })
  })

  test("passes over the first part of a list, so that its worker looks at what is on record", () => {
    const plan = planned(list, "b")
    expect(plan.audit[0]?.detail).toMatchObject({ restartOf: "01A", fromStep: "b" })
    expect(plan.closedSteps).toMatchObject([{ execution: 1, status: "SKIPPED" }])
    expect(plan.newJobs).toMatchObject([{ execution: 2 }])
  })
})
