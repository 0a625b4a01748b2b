// The retries that a step of a list has for itself: its definition tells them in `metadata`, because the list as a whole is one job.
import { isObject, type JsonObject } from "../../support/json.ts"
import type { CompiledDefinition } from "./compile-definition.ts"

export interface OwnRetries {
  readonly retries: number | "unlimited"
  /** The step's name, and those it had before. */
  readonly names: readonly string[]
}

/** Undefined: the step shares the retries of its run. */
export function ownRetries({ definition }: CompiledDefinition, step: string): OwnRetries | undefined {
  const told = definition.metadata?.elements
  const elements = Array.isArray(told) ? (told as readonly JsonObject[]) : []
  const element = elements.find((each) => namesOf(each).includes(step))
  const retries = isObject(element?.retry) ? element.retry.retries : undefined
  if (element === undefined || (typeof retries !== "number" && retries !== "unlimited")) return undefined
  return { retries, names: namesOf(element) }
}

const namesOf = ({ id, was }: JsonObject): readonly string[] => [id, ...(Array.isArray(was) ? was : [])].map(String)
