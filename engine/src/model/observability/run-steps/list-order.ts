// The steps of a list in their order: which were skipped, and which comes next.
import type { CompiledDefinition } from "../../definitions/compile-definition.ts"
import { formerNames } from "../../instances/former-names.ts"

/** A function has no steps but those that were called. A step that was done under a name that it had before keeps that name. */
export function elementsOf(
  definition: CompiledDefinition | undefined,
  isDone: (name: string) => boolean,
): readonly string[] {
  if (!definition || definition.isFunction) return []
  const former = formerNames(definition.definition)
  const nameOf = (id: string) => (isDone(id) ? id : (former.get(id)?.find(isDone) ?? id))
  return definition.definition.steps.filter(({ type }) => type !== "END").map(({ id }) => nameOf(id))
}

/** A run may have been at work under several versions of its list: what this one lacks stands behind what was done before it. */
export function withStrangers(elements: readonly string[], ran: readonly string[]): readonly string[] {
  if (elements.length === 0) return ran
  const names = [...elements]
  const known = new Set(elements)
  let last = -1
  for (const name of ran) {
    if (known.has(name)) last = names.indexOf(name)
    else names.splice(++last, 0, name)
  }
  return names
}

/**
 * How many from the first on the list has behind it, done or skipped. `targets`: the steps that it went to, because waits were not
 * answered in time. A wait leads forward alone.
 */
export const ledPast = (elements: readonly string[], targets: readonly string[]): number =>
  Math.max(0, ...targets.map((target) => elements.indexOf(target)))

/** The first that is not done and was not skipped. */
export const nextElement = (
  elements: readonly string[],
  past: number,
  isDone: (name: string) => boolean,
): string | undefined => elements.slice(past).find((name) => !isDone(name))
