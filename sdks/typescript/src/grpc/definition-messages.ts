// Definitions between the JSON of REST and the messages of gRPC; nothing is lost on the way, the order of conditions included.

import type { Definition } from "../generated/wire.ts"
import type * as proto from "../proto/index.ts"
import { EnumNames } from "./enum-names.ts"
import type { Proto } from "./load-proto.ts"
import { present, someOf } from "./present.ts"

type Fields = Readonly<Record<string, unknown>>

export class DefinitionMessages {
  readonly #stepTypes: EnumNames
  readonly #eventTypes: EnumNames
  readonly #proto: Proto

  constructor(messages: Proto) {
    this.#proto = messages
    this.#stepTypes = new EnumNames("STEP_TYPE_", messages.StepType)
    this.#eventTypes = new EnumNames("BOUNDARY_EVENT_TYPE_", messages.BoundaryEventType)
  }

  toMessage(definition: Definition): proto.WorkflowDefinition {
    const { version, uploadedAt, steps = [], ...rest } = definition
    const message = { ...rest, steps: steps.map((step) => this.#stepMessage(step as unknown as Fields)) }
    return this.#proto.WorkflowDefinition.fromPartial(message as never)
  }

  toJson({ steps, version, metadata, inputSchema, ...rest }: proto.WorkflowDefinition): object {
    const schemas = { ...(metadata && { metadata }), ...(inputSchema && { inputSchema }) }
    return { ...present(rest), version, ...schemas, steps: steps.map((step) => this.#stepJson(step)) }
  }

  #stepMessage(step: Fields): object {
    const { type, conditionalNextSteps, transformations, boundaryEvents, ...rest } = step
    const events = (boundaryEvents ?? []) as readonly Fields[]
    return {
      ...rest,
      type: this.#stepTypes.number(type as string),
      orderedConditionalNextSteps: pairs(conditionalNextSteps, "condition", "nextStep"),
      orderedTransformations: pairs(transformations, "name", "value"),
      boundaryEvents: events.map((event) => ({
        ...event,
        type: this.#eventTypes.number(event.type as string),
      })),
    }
  }

  #stepJson(step: proto.WorkflowStep): object {
    const { type, boundaryEvents, parallelNextSteps, retry, timeout, form, outputSchema, ...more } = step
    const { orderedConditionalNextSteps, orderedTransformations, conditionalNextSteps, transformations, ...rest } = more
    const conditions = orderedConditionalNextSteps.map(({ condition, nextStep }) => [condition, nextStep] as const)
    const values = orderedTransformations.map(({ name, value }) => [name, value] as const)
    return {
      ...present(rest),
      type: this.#stepTypes.name(type),
      ...mapOf("conditionalNextSteps", conditions, conditionalNextSteps),
      ...mapOf("transformations", values, transformations),
      ...someOf("parallelNextSteps", parallelNextSteps),
      ...someOf(
        "boundaryEvents",
        boundaryEvents.map((event) => this.#eventJson(event)),
      ),
      ...(retry && { retry: { ...present(retry), retries: retry.retries } }),
      ...(timeout && { timeout: present(timeout) }),
      ...(form && { form }),
      ...(outputSchema && { outputSchema }),
    }
  }

  #eventJson({ type, duration, interrupting, targetStepId }: proto.BoundaryEvent): object {
    return { type: this.#eventTypes.name(type), ...(duration && { duration }), interrupting, targetStepId }
  }
}

const pairs = (map: unknown, key: string, value: string): object[] =>
  Object.entries((map ?? {}) as object).map(([name, held]) => ({ [key]: name, [value]: held }))

/** In the order of the list; an engine that sends the map alone has none. */
function mapOf(name: string, ordered: readonly (readonly [string, unknown])[], map: object): object {
  const entries = ordered.length > 0 ? ordered : Object.entries(map)
  return entries.length === 0 ? {} : { [name]: Object.fromEntries(entries) }
}
