// The steps that a live run of a list or a function has come to, told from little: for the rows of a list of instances.
import type { CompiledDefinition } from "../../definitions/compile-definition.ts"
import { elementsOf, ledPast, nextElement } from "./list-order.ts"

export interface Standing {
  /** Steps on record that are done, and those that it waits at. */
  readonly done: readonly string[]
  readonly waits: readonly string[]
  /** The steps that it went to, because waits were not answered in time. */
  readonly targets: readonly string[]
  readonly isLeased: boolean
  /** The step at which the last attempt ended, where the worker reported it. */
  readonly failedAt: string | undefined
}

/** By the names that they have in the code; none where that is not known. */
export function whereListStands(definition: CompiledDefinition, standing: Standing): readonly string[] {
  const { done, waits, targets, isLeased, failedAt } = standing
  if (waits.length > 0) return waits
  // Which of its steps a list is at that starts anew is known when the attempt ends.
  if (isLeased && definition.definition.recover !== "resume") return []
  if (failedAt !== undefined && !done.includes(failedAt)) return [failedAt]
  const elements = elementsOf(definition, (name) => done.includes(name))
  const next = nextElement(elements, ledPast(elements, targets), (name) => done.includes(name))
  return next === undefined ? [] : [next]
}
