// The elements of a list as a worker meets them: all of one shape, each with a name.
import type { JsonObject } from "../../support/json.ts"
import { noElement } from "./check-authoring.ts"
import {
  type AnyElement,
  type SignalElement,
  type SleepElement,
  type StepElement,
  step,
  type TaskElement,
} from "./elements.ts"
import type { Step, StepTx } from "./step-types.ts"

/** What a worker calls a step with. */
export interface GivenStep extends Step<unknown, JsonObject> {
  /** Missing in a leased restart list. */
  readonly tx?: StepTx
}

export type ListElement = StepElement<(argument: GivenStep) => unknown> | SignalElement | SleepElement | TaskElement

const KINDS: ReadonlySet<unknown> = new Set(["step", "signal", "sleep", "task"])

/** The compiler has compared what each step asks for with what it will get; from here on they are all the same. */
export function toListElement(workflow: string, element: AnyElement, at: number): ListElement {
  if (typeof element === "function") return step(element.name, element) as ListElement
  if (typeof element !== "object" || element === null || !KINDS.has(element.kind))
    throw noElement(workflow, element, at)
  return element as ListElement
}
