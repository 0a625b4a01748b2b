// The variables over time, folded from the input and what each step changed.

import { expect, test } from "vitest"
import type { AuditLine } from "../../../api/audit.ts"
import type { StepExecution } from "../../../api/instance.ts"
import { foldVariables, wasRetried } from "./fold-variables.ts"

const ID = "01JN8Z3V5E8Q2R7W4Y6T9A1B3C"
const at = (ms: number): string => new Date(ms).toISOString()
const ended = (
  id: string,
  stepId: string,
  ms: number,
  output?: unknown,
  more: Partial<StepExecution> = {},
): StepExecution => ({
  id: `${ID}${id}`,
  stepId,
  stepType: "SERVICE_TASK",
  attemptNumber: 1,
  status: "COMPLETED",
  startedAt: at(0),
  endedAt: at(ms),
  ...(output === undefined ? {} : { output }),
  ...more,
})
const fold = (history: readonly StepExecution[], retries: readonly AuditLine[] = [], input = { n: 1 }) =>
  foldVariables({ instanceId: ID, startedAt: at(0), input, history, retries })

test("C-122: the full state after each step is the input with every change before it, in the order they were merged", () => {
  const states = fold([
    ended("-0001", "slow", 9, { n: 3, fromSlow: true }),
    ended("-0002", "fast", 5, { n: 2 }),
    ended("-0003", "silent", 6),
  ])
  expect(states.map(({ id, after }) => [id, after])).toEqual([
    ["start", { n: 1 }],
    ["0002", { n: 2 }],
    ["0001", { n: 3, fromSlow: true }],
  ])
})

test("C-122: the delta of a step is held against the state before it, not against what it sent", () => {
  const [, first, second] = fold([
    ended("-0001", "a", 1, { n: 1, deep: { x: 1 } }),
    ended("-0002", "b", 2, { deep: { x: 2 } }),
  ])
  expect(first?.changes).toEqual([{ path: "deep", kind: "added", after: { x: 1 } }])
  expect(second?.changes).toEqual([{ path: "deep.x", kind: "changed", before: 1, after: 2 }])
})

test("a variable that a retry by hand changed is in the audit trail alone, and comes before what the step does then", () => {
  const retry: AuditLine = {
    seq: 7,
    at: at(5),
    actor: "ada",
    kind: "STEP_RETRIED",
    detail: { stepId: "a", variables: { iban: "CH1" } },
  }
  const states = fold(
    [ended("-0001", "a", 4, undefined, { status: "FAILED" }), ended("-0002", "a", 5, { paid: "CH1" })],
    [retry, { ...retry, seq: 9, at: at(8), detail: { stepId: "a" } }],
  )
  expect(states.map(({ id, kind, stepId }) => [id, kind, stepId])).toEqual([
    ["start", "start", undefined],
    ["retry-7", "retry", "a"],
    ["0002", "step", "a"],
  ])
  expect(states.at(-1)?.after).toEqual({ n: 1, iban: "CH1", paid: "CH1" })
})

test("what a step of a list returns is shown, and changes nothing until the run ends", () => {
  const states = fold([
    ended("/charge", "charge", 3, { receipt: "r" }),
    ended("-0001", "checkout", 5, { receipt: "r" }),
  ])
  expect(states.map(({ kind, after }) => [kind, after])).toEqual([
    ["start", { n: 1 }],
    ["returned", { n: 1 }],
    ["step", { n: 1, receipt: "r" }],
  ])
  expect(states[1]?.changes).toEqual([{ path: "receipt", kind: "added", after: "r" }])
})

test("only where a failed step was entered again can a retry have changed something", () => {
  const failed = ended("-0001", "a", 1, undefined, { status: "FAILED" })
  expect(wasRetried([failed])).toBe(false)
  expect(wasRetried([failed, ended("-0002", "b", 2)])).toBe(false)
  expect(wasRetried([failed, ended("-0002", "a", 2)])).toBe(true)
})
