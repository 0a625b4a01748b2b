import { expect, test } from "vitest"
import type { UserTask } from "../../api/user-tasks.ts"
import { aboutOf, isFact, toggled } from "./about.ts"

const task = {
  id: "t",
  instanceId: "i",
  stepId: "s",
  definitionId: "loan",
  name: "Approve",
  status: "OPEN",
  createdAt: "2026-03-01T09:31:05.000Z",
  variables: { note: "x".repeat(61), amount: 900, items: [1], isNew: true, empty: "", who: "Ada", city: "Bonn" },
} as unknown as UserTask

const names = (choices: Parameters<typeof aboutOf>[1]) => aboutOf(task, choices).map(({ name }) => name)

test("without a choice a task is about its first short variables, not about lists or long texts", () => {
  expect(aboutOf(task, {})).toEqual([
    { name: "amount", value: "900" },
    { name: "isNew", value: "yes" },
    { name: "who", value: "Ada" },
  ])
})

test("a choice holds for its definition, long texts too, and what an instance lacks is left out", () => {
  expect(names({ loan: ["city", "note", "missing"] })).toEqual(["city", "note"])
  expect(names({ other: ["city"] })).toEqual(["amount", "isNew", "who"])
})

test("a choice begins with what is shown: one more, or one less", () => {
  const more = toggled(task, {}, "city")
  expect(names(more)).toEqual(["amount", "isNew", "who", "city"])
  expect(names(toggled(task, more, "amount"))).toEqual(["isNew", "who", "city"])
  expect([isFact("a"), isFact(0), isFact(false), isFact(""), isFact(null), isFact({})]).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
  ])
})
