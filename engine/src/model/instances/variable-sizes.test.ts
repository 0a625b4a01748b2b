// The size of an instance's variables: the bound it carries, the exact size where that is needed, and what is refused.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${…}` is the expression notation
import fc from "fast-check"
import { expect, test } from "vitest"
import type { JsonObject } from "../../support/json.ts"
import { compileDefinition } from "../definitions/compile-definition.ts"
import { decision, document, end, parsed, service, transformation, wait } from "../definitions/fixtures.ts"
import { endingOf } from "./child-ending.ts"
import { type Draft, finishDraft, mergeVariables, openDraft, share } from "./draft.ts"
import { emptyState } from "./instance.ts"
import { TooMuchTogether } from "./plan-again.ts"
import { planSignal } from "./plan-human.ts"
import { planStart } from "./plan-start.ts"
import { run } from "./test-support/run.ts"
import { bytesOf, growthFault, sizeFault, textBytes, VariablesNeeded } from "./variable-sizes.ts"

const KIB = 1_024

interface Given {
  readonly steps?: Record<string, unknown>[]
  readonly variables?: JsonObject
  readonly hasVariables?: boolean
  readonly bytes?: number
  readonly execution?: string
}

function draftOf({ steps = [service("a")], variables = {}, hasVariables = true, execution, bytes }: Given): Draft {
  const definition = compileDefinition(parsed(document(steps, execution ? { execution } : {})), 1)
  const state = bytes === undefined ? emptyState : { ...emptyState, bytes }
  const identity = { id: "i", status: "ACTIVE", priority: "normal", businessKey: undefined } as const
  const sizes = { maxWriteBytes: 256 * KIB, maxVariablesBytes: 2_048 * KIB }
  const context = { nowMs: 0, random: () => 0, maxLostLeases: 3, sizes }
  return openDraft(definition, { ...identity, state, variables, hasVariables, version: 0 }, context)
}

function started(given: Given) {
  const draft = draftOf({ ...given, bytes: bytesOf(given.variables ?? {}) })
  planStart(draft, "test")
  return finishDraft(draft)
}

const text = (bytes: number) => "x".repeat(bytes)

test("SEC-32: twenty doublings of a text fail the instance at the step that writes too much", () => {
  const steps = Array.from({ length: 20 }, (_, n) =>
    transformation(`t${n}`, { transformations: { a: "${#a + #a}" }, nextStep: n < 19 ? `t${n + 1}` : "e" }),
  )
  const { finish } = started({ steps: [...steps, end("e")], variables: { a: text(100) } })
  expect(finish).toMatchObject({
    status: "FAILED",
    reason: expect.stringMatching(/^transformation t11: \d+ bytes of JSON/),
  })
})

test("SEC-32: a hundred and fifty copies of a text are not made to the end", () => {
  const copies = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`copy${n}`, "${#a}"]))
  const steps = [transformation("t", { transformations: copies, nextStep: "e" }), end("e")]
  const { finish, delta } = started({ steps, variables: { a: text(100 * KIB) } })
  expect(finish).toMatchObject({ status: "FAILED", reason: expect.stringContaining("at most 262144 are allowed") })
  expect(delta).toBeUndefined()
})

test("SEC-32: transformations that write little each fail the instance when all variables together are too large", () => {
  const steps = Array.from({ length: 12 }, (_, n) =>
    transformation(`t${n}`, { transformations: { [`v${n}`]: "${#a}" }, nextStep: n < 11 ? `t${n + 1}` : "e" }),
  )
  const plan = started({ steps: [...steps, end("e")], variables: { a: text(200 * KIB) } })
  expect(plan.finish?.reason).toMatch(/^transformation t9: the instance would have \d+ bytes of variables/)
  expect(plan.state.bytes).toBeLessThanOrEqual(2_048 * KIB)
})

test("SEC-32: a loop that writes the same name again and again writes a bounded amount in one transaction", () => {
  const steps = [
    transformation("t", { transformations: { b: "${#a}" }, nextStep: "d" }),
    decision("d", { conditionalNextSteps: { "#stop": "e", true: "t" } }),
    end("e"),
  ]
  const plan = started({ steps, variables: { a: text(200 * KIB), stop: false } })
  expect(plan.finish?.reason).toContain("the transformations of one transaction write more than 2097152 bytes")
  expect(plan.closedSteps.length).toBeLessThan(30)
})

test("SEC-32: expressions that are cheap one by one share the budget of their transaction", () => {
  const steps = [
    decision("d", { conditionalNextSteps: { "#n == 1 && #a in #b": "e", true: "d2" } }),
    decision("d2", { conditionalNextSteps: { "#a in #b": "e", true: "d" } }),
    end("e"),
  ]
  const plan = started({ steps, variables: { n: 1, a: text(8), b: text(7) + "y".repeat(200 * KIB) } })
  expect(plan.finish?.reason).toContain("the expressions of one transaction take more than 500000 steps")
  expect(plan.closedSteps.length).toBeLessThan(200)
})

test("SEC-32: a thousand merges into thousands of variables copy these once", () => {
  const variables = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`v${n}`, n]))
  const draft = draftOf({ variables, bytes: bytesOf(variables) })
  mergeVariables(draft, { v1: 7 })
  const copy = draft.variables
  mergeVariables(draft, { v2: 8, ["__proto__"]: 9 })
  expect(draft.variables).toBe(copy)
  expect(variables).toMatchObject({ v1: 1, v2: 2 })
  expect(Object.entries(draft.delta ?? {})).toEqual(Object.entries({ v1: 7, v2: 8, ["__proto__"]: 9 }))
})

test("SEC-32: the exact size is asked for only when the bound exceeds the limit", () => {
  const delta = { b: text(1_000) }
  expect(growthFault(draftOf({ hasVariables: false, bytes: 1_000 }), delta)).toBeUndefined()
  expect(() => growthFault(draftOf({ hasVariables: false, bytes: 2_047 * KIB }), delta)).not.toThrow()
  expect(() => growthFault(draftOf({ hasVariables: false, bytes: 2_048 * KIB }), delta)).toThrow(VariablesNeeded)
  expect(() => growthFault(draftOf({ hasVariables: false }), delta)).toThrow(VariablesNeeded)
  expect(growthFault(draftOf({ variables: { b: text(2_000) } }), delta)).toBeUndefined()
})

test("SEC-32: a transformation of literals needs the variables only when the bound exceeds the limit", () => {
  const steps = [transformation("t", { transformations: { b: text(1_000) }, nextStep: "a" }), service("a")]
  expect(() => planStart(draftOf({ steps, hasVariables: false, bytes: 2_048 * KIB }), "test")).toThrow(VariablesNeeded)
  expect(() => planStart(draftOf({ steps, hasVariables: false, bytes: 1_000 }), "test")).not.toThrow()
})

test("SEC-32: an instance of the version before carries no bound until its size is known", () => {
  const draft = draftOf({ variables: { a: text(1_000) } })
  expect(finishDraft(draft).state.bytes).toBeUndefined()
  const written = draftOf({ variables: { a: text(1_000) } })
  expect(sizeFault(written, { b: 1 })).toBeUndefined()
  mergeVariables(written, { b: 1 })
  expect(finishDraft(written).state.bytes).toBe(bytesOf(written.variables))
})

test("SEC-32: the context of a list is judged as a whole, not as one write", () => {
  const context = { a: text(200 * KIB), b: text(200 * KIB) }
  expect(sizeFault(draftOf({ bytes: 2 }), context)).toContain("bytes of JSON in one write")
  expect(sizeFault(draftOf({ bytes: 2, execution: "steplist" }), context)).toBeUndefined()
})

test("SEC-32: the bound is never below the exact size, and exact where that was worked out", () => {
  const json = fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<never>)
  fc.assert(
    fc.property(json, fc.array(json, { maxLength: 5 }), fc.boolean(), (variables, deltas, isExact) => {
      const clean = (value: JsonObject) => JSON.parse(JSON.stringify(value)) as JsonObject
      const start = clean(variables)
      const draft = draftOf({ variables: start, ...(isExact ? {} : { bytes: bytesOf(start) }) })
      for (const delta of deltas.map(clean)) {
        expect(growthFault(draft, delta)).toBeUndefined()
        mergeVariables(draft, delta)
      }
      const exact = bytesOf(draft.variables)
      const bound = finishDraft(draft).state.bytes
      if (bound !== undefined) expect(bound).toBeGreaterThanOrEqual(exact)
      // The comma of a first entry is counted although there is none.
      if (bound !== undefined && isExact) expect(bound - exact).toBeLessThanOrEqual(1)
    }),
  )
})

test("SEC-32: a report that is too large fails its step for good; a signal is refused before anything is touched", () => {
  const large = { much: text(300 * KIB) }
  const running = run([service("a", "w"), wait("w", { nextStep: "e" }), end("e")])
  expect(running.complete("a", large).reason).toContain("the result of a is too large: ")
  const waiting = run([wait("w", { nextStep: "e" }), end("e")])
  expect(() => waiting.signal("w", large)).toThrow("bytes of JSON in one write")
  expect(waiting.signal("w", { little: 1 }).status).toBe("COMPLETED")
})

test("SEC-32: a number counts as PostgreSQL writes it, and a text as it is", () => {
  expect(textBytes("[5e-300]")).toBe(8 + 300)
  expect(textBytes("[1.5E+20,7]")).toBe(11 + 20)
  expect(textBytes('["1e300 \\" 1e300",5e-9]')).toBe(23 + 9)
})

test("SEC-32: what several events spend together is no fault of any of them: they are planned again, alone", () => {
  const searching = [
    decision("d", { conditionalNextSteps: { "#a in #b": "e", true: "d2" } }),
    decision("d2", { conditionalNextSteps: { "#a in #b": "e", true: "d" } }),
    end("e"),
  ]
  const copying = [
    transformation("t", { transformations: { c: "${#b}" }, nextStep: "d" }),
    decision("d", { conditionalNextSteps: { "#a == #b": "e", true: "t" } }),
    end("e"),
  ]
  const variables = { a: text(8), b: text(7) + "y".repeat(200 * KIB) }
  for (const steps of [searching, copying]) {
    const draft = draftOf({ steps, variables, bytes: bytesOf(variables) })
    share(draft)
    expect(() => planStart(draft, "test")).toThrow(TooMuchTogether)
  }
})

test("SEC-32: what a run is told is bounded as a whole; the end of a child is always told", () => {
  const draft = draftOf({ execution: "steplist", bytes: 2 })
  planStart(draft, "test")
  for (let n = 0; n < 8; n++) planSignal(draft, "go", { much: text(250 * KIB) }, "ann")
  expect(() => planSignal(draft, "go", { much: text(250 * KIB) }, "ann")).toThrow("bytes of signals")
  planSignal(draft, endingOf("child"), { much: text(250 * KIB) }, "engine")
  expect(finishDraft(draft).state.toldBytes).toBe(9 * bytesOf({ much: text(250 * KIB) }))
})
