// The run that undoes another one: what it carries, and in which order it undoes.
import { expect, test } from "vitest"
import { compileDefinition } from "../definitions/compile-definition.ts"
import { parseDefinition } from "../definitions/parse-definition.ts"
import { type CarriedStep, inOrderOfUndoing, undoDefinition, undoIdOf, undoInput, undoKeyOf } from "./undo.ts"

const done = (name: string, more: Partial<CarriedStep> = {}): CarriedStep => ({
  name,
  status: "COMPLETED",
  value: { by: name },
  undo: true,
  ...more,
})
const run = { id: "01A", definitionId: "checkout", status: "FAILED", reason: "no stock", input: { n: 1 } } as const

test("it carries the input, the reason and everything on record", () => {
  const steps = [done("charge"), done("mail", { undo: false })]
  expect(undoInput(run, steps)).toEqual({
    undoes: "01A",
    workflow: "checkout",
    status: "FAILED",
    reason: "no stock",
    input: { n: 1 },
    steps: [
      { name: "charge", status: "COMPLETED", value: { by: "charge" }, undo: true },
      { name: "mail", status: "COMPLETED", value: { by: "mail" }, undo: false },
    ],
  })
  expect(undoInput({ ...run, status: "CANCELLED", reason: undefined }, steps)).toMatchObject({ reason: null })
})

test("there is none where no step that was done has an undo", () => {
  const steps = [
    done("mail", { undo: false }),
    done("charge", { status: "FAILED" }),
    done("ask", { status: "WAITING" }),
  ]
  expect(undoInput(run, steps)).toBeUndefined()
  expect(undoInput(run, [])).toBeUndefined()
})

test("the last step is undone first; what was not done is not undone", () => {
  const steps = [done("charge"), done("mail", { undo: false }), done("reserve"), done("ship", { status: "FAILED" })]
  expect(inOrderOfUndoing(steps).map(({ name }) => name)).toEqual(["reserve", "charge"])
})

test("a run has one key for its undo, and one for each step that was done too late", () => {
  expect(undoKeyOf("01A")).toBe("01A/undo")
  expect(undoKeyOf("01A", "charge")).toBe("01A/undo/charge")
})

test("its definition is a list of one step, under a name of its own, and is not undone itself", () => {
  const parsed = parseDefinition(undoDefinition("checkout"))
  expect(parsed).not.toHaveProperty("violations")
  const compiled = compileDefinition(undoDefinition("checkout"), 1)
  expect(compiled.id).toBe(undoIdOf("checkout"))
  expect([compiled.isList, compiled.mayUndo]).toEqual([true, false])
})
