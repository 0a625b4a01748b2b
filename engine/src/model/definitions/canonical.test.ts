// The text by which an unchanged upload is recognised.
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { canonicalText } from "./canonical.ts"
import { decision, document, end, everything, faults, parsed, type Raw, service, transformation } from "./fixtures.ts"

/** The same value with the keys of its objects in reverse order, except inside what `keeps` names. */
function reversed(value: unknown, keeps: (path: string) => boolean = () => false, path = "$"): unknown {
  if (Array.isArray(value)) return value.map((item, index) => reversed(item, keeps, `${path}[${index}]`))
  if (typeof value !== "object" || value === null) return value
  const entries = Object.entries(value).map(([key, inner]) => [key, reversed(inner, keeps, `${path}.${key}`)])
  return Object.fromEntries(keeps(path) ? entries : entries.reverse())
}
const isOrdered = (path: string): boolean => /^\$\.steps\[\d+\]\.(conditionalNextSteps|transformations)$/.test(path)
const text = (value: unknown): string => canonicalText(parsed(value))

const deciding = (conditionalNextSteps: Raw): Raw => document([decision("a", { conditionalNextSteps }), end("e")])
const setting = (transformations: Raw): Raw =>
  document([transformation("a", { transformations, nextStep: "e" }), end("e")])

describe("C-17: the same content has the same text", () => {
  test("C-17: whatever the order of keys, except in the two ordered maps", () => {
    expect(text(reversed(everything, isOrdered))).toBe(text(everything))
  })

  test("C-17: version and uploadedAt do not count", () => {
    expect(text({ ...everything, version: 3, uploadedAt: "x" })).toBe(text(everything))
  })

  test("W-04: a field that says nothing is the same as none", () => {
    const quiet = { retryCount: 0, description: "", delegateClass: "", boundaryEvents: [] }
    const [bare, spelt] = [{}, quiet].map((more) => document([service("a", "e", more), end("e")]))
    expect(text({ ...spelt, autoStartNextWorkflow: false, description: "" })).toBe(text(bare))
  })

  test("C-17: inside an assigned value the order of keys does not count", () => {
    expect(text(setting({ v: { b: 1, a: { d: 1, c: 2 } } }))).toBe(text(setting({ v: { a: { c: 2, d: 1 }, b: 1 } })))
  })

  test("C-17: a map of the same name in metadata is not ordered", () => {
    const noted = (map: Raw): Raw => document([end("e")], { metadata: { transformations: map } })
    expect(text(noted({ a: 1, b: 2 }))).toBe(text(noted({ b: 2, a: 1 })))
  })

  test("C-17: any metadata, reordered, has the same text", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.stringMatching(/^[a-z0-9]{1,4}$/), fc.jsonValue({ maxDepth: 3 })), (metadata) => {
        const one = document([end("e")], { metadata })
        fc.pre(faults(one).length === 0)
        expect(text(reversed(one))).toBe(text(one))
      }),
    )
  })
})

describe("C-17: changed content has another text", () => {
  test("C-17: the order of conditions and of assignments is content", () => {
    expect(text(deciding({ x: "e", y: "e" }))).not.toBe(text(deciding({ y: "e", x: "e" })))
    expect(text(setting({ x: 1, y: 2 }))).not.toBe(text(setting({ y: 2, x: 1 })))
  })

  test("C-17: the order of steps and of list entries is content", () => {
    const steps = [decision("a", { conditionalNextSteps: { x: "b", y: "c" } }), end("b"), end("c")]
    expect(text(document(steps))).not.toBe(text(document([steps[0] as Raw, steps[2] as Raw, steps[1] as Raw])))
    const tagged = (tags: string[]): Raw => document([end("e")], { metadata: { tags } })
    expect(text(tagged(["a", "b"]))).not.toBe(text(tagged(["b", "a"])))
  })

  test("C-17: so is every single value", () => {
    expect(text({ ...everything, name: "Other" })).not.toBe(text(everything))
    expect(text(document([end("e")], { metadata: { a: 1 } }))).not.toBe(
      text(document([end("e")], { metadata: { a: "1" } })),
    )
  })
})

test("C-52: the text is JSON of the same definition, without what says nothing", () => {
  const said = JSON.stringify(everything, (_, value) =>
    Array.isArray(value) && value.length === 0 ? undefined : value,
  )
  expect(JSON.parse(text(everything))).toEqual(JSON.parse(said))
})

test("C-17: a field that is undefined is not there", () => {
  const definition = parsed(everything)
  expect(
    canonicalText({ ...definition, steps: definition.steps.map((step) => ({ ...step, colour: undefined })) }),
  ).toBe(text(everything))
})
