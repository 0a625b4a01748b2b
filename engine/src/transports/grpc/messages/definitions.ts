// Definitions as messages, and back: what goes out comes in again with nothing lost.
import type { wire } from "@millrace/sdk"
import { BoundaryEvent, BoundaryEventType, StepType, WorkflowDefinition, WorkflowStep } from "@millrace/sdk/proto"
import type { JsonObject } from "../../../support/json.ts"
import { given } from "../rpc.ts"
import { boundaryEventTypes, stepTypes } from "./enums.ts"
import { conditionEntry, orderedObject, transformationEntry } from "./ordered-maps.ts"

/** The document as REST takes it. */
export function definitionDocument(message: WorkflowDefinition): JsonObject {
  const { version: _, uploadedAt: __, steps, metadata, inputSchema, ...plain } = message
  return {
    ...given(plain),
    ...(metadata ? { metadata } : {}),
    ...(inputSchema ? { inputSchema } : {}),
    steps: steps.map(stepDocument),
  }
}

function stepDocument(message: WorkflowStep, index: number): JsonObject {
  const {
    type,
    conditionalNextSteps: conditions,
    orderedConditionalNextSteps,
    transformations: assignments,
    orderedTransformations,
    boundaryEvents,
    retry,
    timeout,
    form,
    outputSchema,
    ...plain
  } = message
  const path = `$.steps[${index}]`
  const ordered = orderedConditionalNextSteps.map(conditionEntry)
  const named = orderedTransformations.map(transformationEntry)
  return given({
    ...plain,
    type: stepTypes.wordOf(type),
    conditionalNextSteps:
      orderedObject({ map: conditions, ordered, path: `${path}.conditionalNextSteps` }) ??
      (type === StepType.STEP_TYPE_DECISION ? {} : undefined),
    transformations:
      orderedObject({ map: assignments, ordered: named, path: `${path}.transformations` }) ??
      (type === StepType.STEP_TYPE_TRANSFORMATION ? {} : undefined),
    boundaryEvents: boundaryEvents.map(eventDocument),
    // A policy that is present always has a count: 0 is a value here, not a missing field.
    retry: retry && { ...given(retry), retries: retry.retries },
    timeout: timeout && given(timeout),
    form,
    outputSchema,
  }) as JsonObject
}

/** An error always interrupts: there false is what a client sends that does not set the field. */
function eventDocument({ type, interrupting, ...event }: BoundaryEvent): JsonObject {
  const isError = type === BoundaryEventType.BOUNDARY_EVENT_TYPE_ERROR
  const how = isError ? {} : { interrupting }
  return { ...given({ ...event, type: boundaryEventTypes.wordOf(type) }), ...how } as JsonObject
}

export const definitionMessage = ({ steps, ...definition }: wire.StoredDefinition): WorkflowDefinition =>
  WorkflowDefinition.fromPartial({ ...definition, steps: steps.map(stepMessage) })

/** A step of any type, with the fields of all. */
interface AnyStep {
  readonly id: string
  readonly conditionalNextSteps?: Record<string, string>
  readonly transformations?: Record<string, unknown>
  readonly boundaryEvents?: readonly wire.BoundaryEvent[]
}

function stepMessage({ type, ...step }: wire.Step): WorkflowStep {
  const { conditionalNextSteps: conditions = {}, transformations = {}, boundaryEvents = [], ...plain }: AnyStep = step
  return WorkflowStep.fromPartial({
    ...plain,
    type: stepTypes.numberOf(type),
    conditionalNextSteps: conditions,
    orderedConditionalNextSteps: Object.entries(conditions).map(([condition, nextStep]) => ({ condition, nextStep })),
    transformations,
    orderedTransformations: Object.entries(transformations).map(([name, value]) => ({ name, value })),
    boundaryEvents: boundaryEvents.map((event) =>
      BoundaryEvent.fromPartial({ ...event, type: boundaryEventTypes.numberOf(event.type) }),
    ),
  })
}
