// What a run is given and told is judged by the JSON forms that its definition has.
import { expect, test } from "vitest"
import type { JsonObject } from "../../../support/json.ts"
import type { Definition } from "../definition.ts"
import { inputViolations, knownSignals, waitViolations } from "./told-schemas.ts"

const judges = (metadata: JsonObject | undefined, more: Partial<Definition> = {}, isList = true) => ({
  isList,
  definition: { id: "order", name: "order", steps: [], ...(metadata ? { metadata } : {}), ...more },
})
const text = { type: "object", properties: { by: { type: "string" } }, required: ["by"] }
const count = { type: "object", properties: { n: { type: "number" } }, required: ["n"] }
const told = (name: string, payload: JsonObject) => ({ name, payload, path: "$" })
const paths = (violations: readonly { path: string }[]) => violations.map(({ path }) => path)

test("the input is judged by its JSON form and by the input schema of the definition", () => {
  const inputSchema = { properties: { age: { type: "integer" } }, required: ["age"] } as const
  expect(paths(inputViolations(judges({ schemas: { input: text } }, { inputSchema }), {}))).toEqual([
    "$.variables.age",
    "$.variables.by",
  ])
  expect(inputViolations(judges({ schemas: { input: text } }), { by: "ada" })).toEqual([])
  expect(inputViolations(judges(undefined), {})).toEqual([])
})

test("what comes for a wait must fit one of the places that wait for it", () => {
  const two = judges({ schemas: { waits: { paid: [text, count] } } })
  expect(waitViolations(two, told("paid", { by: "ada" }))).toEqual([])
  expect(waitViolations(two, told("paid", { n: 1 }))).toEqual([])
  expect(paths(waitViolations(two, told("paid", { n: "1" })))).toEqual(["$.by"])
  expect(waitViolations(two, told("other", {}))).toEqual([])
})

test("metadata of another shape, and that of a graph, judges nothing", () => {
  for (const schemas of ["text", { waits: [] }, { waits: { paid: text } }, { waits: { paid: [] } }] as JsonObject[])
    expect(waitViolations(judges({ schemas }), told("paid", {}))).toEqual([])
  const graph = judges({ schemas: { input: text, waits: { paid: [text] } } }, {}, false)
  expect([inputViolations(graph, {}), waitViolations(graph, told("paid", {}))]).toEqual([[], []])
})

test("the signals of a list are those of its elements; of a function, a graph and a list of unknown form they are not known", () => {
  const elements = [
    { id: "first", kind: "signal", signal: "item" },
    { id: "review", kind: "task" },
    { id: "odd", kind: "signal", signal: 1 },
    "text",
  ]
  expect(knownSignals(judges({ form: "list", elements }))).toEqual(["item"])
  expect(knownSignals(judges({ form: "list" }))).toEqual([])
  expect([
    knownSignals(judges({ form: "function", elements })),
    knownSignals(judges(undefined)),
    knownSignals(judges({ form: "list", elements }, {}, false)),
  ]).toEqual([undefined, undefined, undefined])
})
