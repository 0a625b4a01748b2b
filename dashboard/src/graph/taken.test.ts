// Which way an instance went, told from its history alone.
import { expect, test } from "vitest"
import type { Step } from "../api/definitions.ts"
import { edgesOf } from "./edges.ts"
import { takenEdges, takenInList, type Visit } from "./taken.ts"

const step = (id: string, more: Partial<Step> = {}): Step => ({ id, name: id, type: "SERVICE_TASK", ...more })
const at = (ms: number): string => new Date(ms).toISOString()
const visit = (
  stepId: string,
  from: number,
  to?: number,
  status = to === undefined ? "RUNNING" : "COMPLETED",
): Visit => ({
  stepId,
  status,
  startedAt: at(from),
  ...(to === undefined ? {} : { endedAt: at(to) }),
})
const taken = (steps: readonly Step[], visits: readonly Visit[]) => [...takenEdges(edgesOf({ steps }), visits)]

const decision = [
  step("decide", { type: "DECISION", conditionalNextSteps: { small: "pay", true: "prepare" } }),
  step("prepare", { nextStep: "pay" }),
  step("pay"),
]

test("of the ways out of a decision, the one to the step that followed", () => {
  expect(taken(decision, [visit("decide", 1, 1), visit("pay", 1)])).toEqual(["decide → pay"])
})

test("where everything happened in one moment, the first that followed is the one", () => {
  const visits = [visit("decide", 1, 1), visit("prepare", 1, 1), visit("pay", 1)]
  expect(taken(decision, visits)).toEqual(["decide → prepare", "prepare → pay"])
})

const fork = [
  step("fork", { type: "PARALLEL_GATEWAY", parallelNextSteps: ["a", "b"], joinStep: "join" }),
  step("a", { nextStep: "join" }),
  step("b", { nextStep: "join" }),
  step("join", { type: "JOIN_GATEWAY", nextStep: "end" }),
  step("end"),
]

test("every branch of a fork, and the branch that waits at the join", () => {
  const open = [visit("fork", 1, 1), visit("a", 1, 5), visit("b", 1)]
  expect(taken(fork, open)).toEqual(["fork → a", "fork → b", "a → join"])
  const joined = [visit("fork", 1, 1), visit("a", 1, 5), visit("b", 1, 9), visit("join", 9, 9), visit("end", 9)]
  expect(taken(fork, joined)).toEqual(["fork → a", "fork → b", "a → join", "b → join", "join → end"])
})

const timer = (interrupting: boolean) => [
  step("ask", {
    nextStep: "go",
    boundaryEvents: [{ type: "TIMER", duration: "P1D", interrupting, targetStepId: "remind" }],
  }),
  step("remind"),
  step("go"),
]

test("a timer beside an open step, and one that took its place", () => {
  expect(taken(timer(false), [visit("ask", 1), visit("remind", 5)])).toEqual(["ask → remind by timer 0"])
  for (const status of ["SKIPPED", "FAILED"])
    expect(taken(timer(true), [visit("ask", 1, 5, status), visit("remind", 5)])).toEqual(["ask → remind by timer 0"])
  expect(taken(timer(false), [visit("ask", 1, 4), visit("go", 4)])).toEqual(["ask → go"])
})

test("a step that failed, was skipped or is open has led nowhere; one that failed and went on has", () => {
  const steps = [step("a", { nextStep: "b" }), step("b")]
  expect(taken(steps, [visit("a", 1, 2, "FAILED")])).toEqual([])
  expect(taken(steps, [visit("a", 1, 2, "SKIPPED")])).toEqual([])
  expect(taken(steps, [visit("a", 1)])).toEqual([])
  expect(taken(steps, [visit("a", 1, 2, "FAILED"), visit("b", 2)])).toEqual(["a → b"])
})

test("an error that was caught has led to its target; one that was not, nowhere", () => {
  const steps = [
    step("pay", { nextStep: "go", boundaryEvents: [{ type: "ERROR", targetStepId: "refund" }] }),
    step("refund"),
    step("go"),
  ]
  expect(taken(steps, [visit("pay", 1, 5, "FAILED"), visit("refund", 5)])).toEqual(["pay → refund by error"])
  expect(taken(steps, [visit("pay", 1, 5, "FAILED")])).toEqual([])
  expect(taken(steps, [visit("pay", 1, 5), visit("go", 5)])).toEqual(["pay → go"])
})

test("in a list each step that was run was led to", () => {
  const edges = edgesOf({ steps: [step("run"), step("a"), step("b")], execution: "steplist" })
  expect([...takenInList(edges, [visit("run", 1), visit("a", 2, 3)])]).toEqual(["run → a"])
})
