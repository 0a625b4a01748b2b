// At which step a run of code is, by the little that a row of a list is told from.
import { expect, test } from "vitest"
import { compileDefinition } from "../../definitions/compile-definition.ts"
import type { Definition } from "../../definitions/definition.ts"
import { type Standing, whereListStands } from "./where-list-stands.ts"

const task = (id: string) => ({ id, name: id, type: "SERVICE_TASK", jobType: id })
const compiled = (more: object) =>
  compileDefinition({ id: "flow", name: "Flow", execution: "steplist", ...more } as never as Definition, 1)
const steps = [task("a"), task("b"), { id: "end", name: "End", type: "END" }]
const [resumes, restarts] = [compiled({ recover: "resume", steps }), compiled({ recover: "restart", steps })]
const fn = compiled({ recover: "resume", steps: [task("flow")], metadata: { form: "function" } })

const standing = (more: Partial<Standing> = {}): Standing => ({
  done: [],
  waits: [],
  targets: [],
  isLeased: false,
  failedAt: undefined,
  ...more,
})

test("it is where it waits, whatever else is known", () => {
  expect(whereListStands(fn, standing({ waits: ["nap"], isLeased: true, failedAt: "a" }))).toEqual(["nap"])
})

test("a list that resumes is at the first step that is not done, and at none when all are", () => {
  expect(whereListStands(resumes, standing({ done: ["a"], isLeased: true }))).toEqual(["b"])
  expect(whereListStands(resumes, standing({ done: ["a", "b"] }))).toEqual([])
})

test("a list that a wait has led to a later step is there, not at one that was skipped", () => {
  const three = compiled({ recover: "resume", steps: [task("a"), task("b"), task("c")] })
  expect(whereListStands(three, standing({ done: ["a"], targets: ["c"], isLeased: true }))).toEqual(["c"])
  expect(whereListStands(three, standing({ done: ["a"], targets: ["gone"] }))).toEqual(["b"])
})

test("a list that starts anew is at a step that is not known while a worker has it", () => {
  expect(whereListStands(restarts, standing({ isLeased: true }))).toEqual([])
  expect(whereListStands(restarts, standing())).toEqual(["a"])
})

test("it is at the step that failed last, unless that is done by now", () => {
  expect(whereListStands(restarts, standing({ failedAt: "b" }))).toEqual(["b"])
  expect(whereListStands(resumes, standing({ failedAt: "a", done: ["a"] }))).toEqual(["b"])
})

test("which steps a function has left only its code knows", () => {
  expect(whereListStands(fn, standing({ done: ["a"] }))).toEqual([])
})
