import { expect, test } from "vitest"
import type { Definition, Step } from "../../api/definitions.ts"
import { comparableText, diffDefinitions } from "./definition-diff.ts"

const end: Step = { id: "done", name: "Done", type: "END" }
const task = (fields: object = {}) =>
  ({ id: "pay", name: "Pay", type: "SERVICE_TASK", jobType: "pay", ...fields }) as Step
const decision = (conditionalNextSteps: Readonly<Record<string, string>>): Step => ({
  id: "size",
  name: "Size",
  type: "DECISION",
  conditionalNextSteps,
})
const definition = (steps: readonly Step[], fields: object = {}): Definition => ({
  id: "order",
  version: 1,
  name: "Order",
  steps,
  ...fields,
})

const diff = (before: readonly Step[], after: readonly Step[]) =>
  diffDefinitions(definition(before), definition(after, { version: 2 }))

test("equal definitions differ in nothing, whatever the order of their keys", () => {
  const { id, name, type, jobType } = task() as Required<Step>
  expect(diff([task(), end], [{ jobType, type, name, id }, end])).toEqual({
    fields: [],
    steps: [],
    entry: undefined,
    isReordered: false,
  })
})

test("steps that came, went and changed are told apart", () => {
  const { steps } = diff([task(), end], [task({ name: "Pay it" }), { id: "stop", name: "Stop", type: "END" }])
  expect(steps.map(({ kind, step }) => [kind, step.id])).toEqual([
    ["changed", "pay"],
    ["added", "stop"],
    ["removed", "done"],
  ])
})

test("a changed setting is one line, with what it was", () => {
  const { steps } = diff(
    [task({ retry: { retries: 5, base: "PT1S" } }), end],
    [task({ retry: { retries: 5, base: "PT2S", cap: "PT1M" } }), end],
  )
  expect(steps[0]?.changes).toEqual([
    { field: "retry.base", before: "PT1S", after: "PT2S", isOrder: false },
    { field: "retry.cap", before: undefined, after: "PT1M", isOrder: false },
  ])
})

test("the order of conditions is meaning: first true wins", () => {
  const { steps } = diff([decision({ "a > 1": "done", true: "pay" })], [decision({ true: "pay", "a > 1": "done" })])
  expect(steps[0]?.changes).toMatchObject([{ field: "conditionalNextSteps", isOrder: true }])
  const another = diff([decision({ "a > 1": "done", true: "pay" })], [decision({ "a > 2": "done", true: "pay" })])
  expect(another.steps[0]?.changes).toMatchObject([{ field: "conditionalNextSteps", isOrder: false }])
})

test("another entry and another order of steps are said", () => {
  expect(diff([task(), end], [end, task()])).toMatchObject({
    entry: { before: "pay", after: "done" },
    isReordered: true,
  })
  expect(diff([task(), end], [task(), decision({ true: "done" }), end]).isReordered).toBe(false)
})

test("what the definition says of itself is compared, too, but not which version it is", () => {
  const before = definition([end], { description: "Old", uploadedAt: "2025-01-01T00:00:00Z" })
  const after = definition([end], { description: "New", version: 2, uploadedAt: "2025-01-02T00:00:00Z" })
  expect(diffDefinitions(before, after).fields).toEqual([
    { field: "description", before: "Old", after: "New", isOrder: false },
  ])
})

test("the lines to compare have their keys in one order, and conditions in theirs", () => {
  const text = comparableText(definition([{ ...decision({ b: "done", a: "done" }), description: "?" }]))
  expect(text).not.toContain("version")
  expect(text.indexOf('"type"')).toBeLessThan(text.indexOf('"conditionalNextSteps"'))
  expect(text.indexOf('"b"')).toBeLessThan(text.indexOf('"a"'))
})
