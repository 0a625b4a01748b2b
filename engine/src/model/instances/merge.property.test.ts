// How variables merge: properties over any JSON, through the planner (C-62, C-T2).
import fc from "fast-check"
import { expect, test } from "vitest"
import type { JsonObject } from "../../support/json.ts"
import { compileDefinition } from "../definitions/compile-definition.ts"
import { document, end, fork, join, parsed, type Raw, service } from "../definitions/fixtures.ts"
import { type Draft, finishDraft, mergeVariables, openDraft } from "./draft.ts"
import { emptyState } from "./instance.ts"
import { complete } from "./test-support/items.ts"
import { run } from "./test-support/run.ts"

// As JSON carries it: a -0 becomes 0 on the way.
const object = fc
  .dictionary(fc.string(), fc.jsonValue(), { maxKeys: 6 })
  .map((value) => JSON.parse(JSON.stringify(value)) as JsonObject)
const definition = compileDefinition(parsed(document([service("a", "e"), end("e")])), 1)

function draftOf(variables: JsonObject): Draft {
  const identity = { id: "i", status: "ACTIVE", priority: "normal", businessKey: undefined } as const
  const context = {
    nowMs: 0,
    random: () => 0,
    maxLostLeases: 3,
    sizes: { maxWriteBytes: 262_144, maxVariablesBytes: 2_097_152 },
  }
  return openDraft(definition, { ...identity, state: emptyState, variables, hasVariables: true, version: 0 }, context)
}

function merged(variables: JsonObject, ...deltas: readonly (JsonObject | undefined)[]): JsonObject {
  const draft = draftOf(variables)
  for (const delta of deltas) mergeVariables(draft, delta)
  return draft.variables
}

test("C-62, C-T2: every key of the delta wins, with exactly its value, null and changed types included", () => {
  fc.assert(
    fc.property(object, object, (variables, delta) => {
      const result = merged(variables, delta)
      for (const key of Object.keys(delta)) expect(result[key]).toEqual(delta[key])
    }),
  )
})

test("C-62, C-T2: every other key keeps its value", () => {
  fc.assert(
    fc.property(object, object, (variables, delta) => {
      const result = merged(variables, delta)
      for (const key of Object.keys(variables))
        if (!Object.hasOwn(delta, key)) expect(result[key]).toEqual(variables[key])
    }),
  )
})

test("C-62, C-T2: no key comes from nowhere", () => {
  fc.assert(
    fc.property(object, object, (variables, delta) => {
      const keys = new Set([...Object.keys(variables), ...Object.keys(delta)])
      expect(new Set(Object.keys(merged(variables, delta)))).toEqual(keys)
    }),
  )
})

test("C-62, C-T2: an empty delta, or none, changes nothing and is not written", () => {
  fc.assert(
    fc.property(object, (variables) => {
      const draft = draftOf(variables)
      mergeVariables(draft, {})
      mergeVariables(draft, undefined)
      expect(draft.variables).toBe(variables)
      expect(finishDraft(draft).delta).toBeUndefined()
    }),
  )
})

test("C-62, C-T2: merging the same delta again changes nothing more", () => {
  fc.assert(
    fc.property(object, object, (variables, delta) => {
      expect(merged(variables, delta, delta)).toEqual(merged(variables, delta))
    }),
  )
})

test("C-62, C-T2: deltas one after the other are the same as their merge at once", () => {
  fc.assert(
    fc.property(object, object, object, (variables, first, second) => {
      expect(merged(variables, first, second)).toEqual(merged(variables, merged(first, second)))
    }),
  )
})

test("C-62, C-T2: the merge is shallow: an object in the delta replaces the one that was there", () => {
  fc.assert(
    fc.property(fc.string(), object, object, (key, before, after) => {
      expect(merged({ [key]: before }, { [key]: after })[key]).toEqual(after)
    }),
  )
})

test("C-62, C-T2: neither the variables nor the delta are changed by a merge", () => {
  fc.assert(
    fc.property(object, object, (variables, delta) => {
      const before = JSON.stringify([variables, delta])
      merged(Object.freeze(variables), Object.freeze(delta))
      expect(JSON.stringify([variables, delta])).toBe(before)
    }),
  )
})

const forked: Raw[] = [
  fork("f", ["a", "b"], "j"),
  service("a", "j"),
  service("b", "j"),
  join("j", { nextStep: "e" }),
  end("e"),
]

test("S25, C-62: branches that write different keys keep both, in either order, in one draft or in two", () => {
  fc.assert(
    fc.property(object, object, fc.boolean(), fc.boolean(), (left, right, together, reversed) => {
      const rename = (delta: JsonObject, by: string) =>
        Object.fromEntries(Object.entries(delta).map(([key, value]) => [`${by}${key}`, value]))
      const [a, b] = [rename(left, "a"), rename(right, "b")]
      const running = run(forked)
      const items = [complete(running.claim("a"), a), complete(running.claim("b"), b)]
      if (reversed) items.reverse()
      if (together) running.together(...items)
      else for (const item of items) running.together(item)
      expect(running.variables).toEqual({ ...a, ...b })
    }),
  )
})

test("S25, C-62: branches that write the same key: the later report stays", () => {
  const running = run(forked)
  const [a, b] = [complete(running.claim("a"), { k: "a" }), complete(running.claim("b"), { k: "b" })]
  running.together(b, a)
  expect(running.variables).toEqual({ k: "a" })
})
