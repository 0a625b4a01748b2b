import { expect, test } from "vitest"
import type { Definition } from "../../api/definitions.ts"
import { marksOf, openByStep, openByVersion } from "./open-steps.ts"

const activity = {
  items: [
    { version: 2, stepId: "pay", open: 1_200, older: 3 },
    { version: 2, stepId: "ask", open: 4, older: 0 },
    { version: 1, stepId: "pay", open: 7, older: 7 },
  ],
  instances: 1_211,
  isExact: true,
}

const definition: Definition = {
  id: "order",
  version: 2,
  name: "Order",
  steps: ["pay", "ask", "toString"].map((id) => ({ id, name: id, type: "SERVICE_TASK" })),
}

test("C-122: each step says how many are open, and how many of them for more than 30 min", () => {
  expect(marksOf(definition, openByStep(activity, 2))).toEqual({
    pay: { tone: "warn", lines: ["1,200 open, 3 over 30 min"] },
    ask: { tone: "info", lines: ["4 open"] },
    toString: { tone: "calm", lines: ["service task"] },
  })
})

test("a wait with a duration says how long; one without waits for a signal", () => {
  const wait = { name: "wait", type: "WAIT" } as const
  const steps = [
    { ...wait, id: "cooling", duration: "PT3S" },
    { ...wait, id: "paid" },
  ]
  const marks = marksOf({ ...definition, steps }, openByStep(undefined, 2))
  expect(marks.cooling?.lines).toEqual(["waits 3 s"])
  expect(marks.paid?.lines).toEqual(["waits for a signal"])
})

test("other versions are counted apart", () => {
  expect(openByStep(activity, 1).get("pay")).toMatchObject({ open: 7, older: 7 })
  expect([...openByVersion(activity)]).toEqual([
    [2, { open: 1_204, older: 3 }],
    [1, { open: 7, older: 7 }],
  ])
  expect(openByVersion(undefined).size).toBe(0)
})
