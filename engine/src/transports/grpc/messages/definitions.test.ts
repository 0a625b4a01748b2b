// A definition that was read over gRPC and is sent back is the same: nothing of it is lost on the way.
import { WorkflowDefinition } from "@millrace/sdk/proto"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { canonicalText } from "../../../model/definitions/canonical.ts"
import type { Definition } from "../../../model/definitions/definition.ts"
import { everything, parsed } from "../../../model/definitions/fixtures.ts"
import { definitionDocument, definitionMessage } from "./definitions.ts"

type Stored = Parameters<typeof definitionMessage>[0]

/** Get → Upload, with the bytes in between. */
const thereAndBack = (definition: object) => {
  const message = definitionMessage({ ...definition, version: 7, uploadedAt: "2025-03-01T09:31:00.000Z" } as Stored)
  return definitionDocument(WorkflowDefinition.decode(WorkflowDefinition.encode(message).finish()))
}
const text = (definition: unknown) => canonicalText(definition as Definition)

const name = fc.stringMatching(/^[a-zA-Z_][\w-]{0,12}$/).filter((word) => word !== "__proto__")
const duration = fc.constantFrom("PT5S", "P1D", "PT1H30M")
const json = fc.jsonValue({ maxDepth: 3 })
const object = fc.dictionary(name, json, { maxKeys: 4 })
const priority = fc.constantFrom("critical", "high", "normal")
const some = <T>(fields: { [Name in keyof T]: fc.Arbitrary<T[Name]> }) => fc.record(fields, { requiredKeys: [] })

const retry = fc.record(
  {
    retries: fc.nat(10_000),
    base: duration,
    factor: fc.double({ min: 1, max: 100, noNaN: true }),
    cap: duration,
    jitter: fc.constantFrom("none", "partial", "full"),
  },
  { requiredKeys: ["retries"] },
)
const event = fc.oneof(
  fc.record({ type: fc.constant("TIMER"), duration, interrupting: fc.boolean(), targetStepId: name }),
  fc.record({ type: fc.constant("ERROR"), targetStepId: name }),
)

/** Fields of every type of step on one: which of them belong where is not the wire's to judge. */
const step = fc
  .tuple(
    fc.record({
      id: name,
      name,
      type: fc.constantFrom(
        ...[
          "SERVICE_TASK",
          "USER_TASK",
          "DECISION",
          "TRANSFORMATION",
          "WAIT",
          "PARALLEL_GATEWAY",
          "JOIN_GATEWAY",
          "END",
        ],
      ),
    }),
    some<Record<string, unknown>>({
      description: fc.string(),
      nextStep: name,
      parallelNextSteps: fc.array(name, { maxLength: 3 }),
      joinStep: name,
      conditionalNextSteps: fc.dictionary(name, name, { maxKeys: 4 }),
      transformations: object,
      jobType: name,
      delegateClass: fc.string(),
      retryCount: fc.nat(20),
      boundaryEvents: fc.array(event, { maxLength: 2 }),
      retry,
      timeout: some({ run: duration, queue: duration, total: duration }),
      onError: fc.constantFrom("fail", "continue"),
      priority,
      downstream: name,
      assignee: name,
      assigneeGroup: name,
      dueIn: duration,
      keepEarly: fc.boolean(),
      duration,
      form: object,
      outputSchema: object,
    }),
  )
  .map(([fixed, more]) => ({ ...fixed, ...more }))

const definition = fc
  .tuple(
    fc.record({ id: name, name, steps: fc.array(step, { minLength: 1, maxLength: 4 }) }),
    some<Record<string, unknown>>({
      description: fc.string(),
      autoStartNextWorkflow: fc.boolean(),
      nextWorkflowId: name,
      metadata: object,
      inputSchema: object,
      priority,
      execution: fc.constantFrom("graph", "steplist"),
      recover: fc.constantFrom("resume", "restart"),
      deadline: duration,
      retain: duration,
      events: fc.boolean(),
    }),
  )
  .map(([fixed, more]) => ({ ...fixed, ...more }))

describe("W-14: Get, then Upload", () => {
  test("W-14: every field of the contract comes back", () => {
    expect(text(parsed(thereAndBack(everything)))).toBe(text(parsed(everything)))
  })

  test("W-14: any definition comes back, the order of its conditions and transformations included", () => {
    fc.assert(
      fc.property(definition, (sent) => {
        expect(text(thereAndBack(sent))).toBe(text(sent))
      }),
    )
  })
})

describe("W-11: conditions and transformations", () => {
  const decide = (more: object) => {
    const steps = [{ id: "a", name: "a", type: 3, ...more }]
    return definitionDocument(WorkflowDefinition.fromPartial({ id: "d", name: "d", steps } as never))
  }
  const conditionsOf = (document: object) =>
    Object.keys((document as { steps: { conditionalNextSteps: object }[] }).steps[0]!.conditionalNextSteps)

  test("W-11: a map alone is sorted, whatever the order that it came in", () => {
    const one = decide({ conditionalNextSteps: { "b > 1": "x", "a > 1": "y" } })
    const other = decide({ conditionalNextSteps: { "a > 1": "y", "b > 1": "x" } })
    expect(conditionsOf(one)).toEqual(["a > 1", "b > 1"])
    expect(JSON.stringify(other)).toBe(JSON.stringify(one))
  })

  test("W-11: the order of the list counts, with and without the map beside it", () => {
    const orderedConditionalNextSteps = [
      { condition: "b > 1", nextStep: "x" },
      { condition: "a > 1", nextStep: "y" },
    ]
    const conditionalNextSteps = { "a > 1": "y", "b > 1": "x" }
    expect(conditionsOf(decide({ orderedConditionalNextSteps }))).toEqual(["b > 1", "a > 1"])
    expect(conditionsOf(decide({ orderedConditionalNextSteps, conditionalNextSteps }))).toEqual(["b > 1", "a > 1"])
  })

  test("W-11: a map and a list that disagree are refused, and so is an entry that comes twice", () => {
    const ordered = [{ condition: "a > 1", nextStep: "y" }]
    const other = { "a > 1": "z" }
    expect(() => decide({ orderedConditionalNextSteps: ordered, conditionalNextSteps: other })).toThrow(
      /differs between/,
    )
    expect(() => decide({ orderedConditionalNextSteps: [...ordered, ...ordered] })).toThrow(/an entry twice/)
  })
})
