// The steps of a list in their order: which were skipped, and which comes next.
import type { CompiledDefinition } from "../../definitions/compile-definition.ts"

/** A function has no steps but those that were called. */
export function elementsOf(definition: CompiledDefinition | undefined): readonly string[] {
  if (!definition || definition.isFunction) return []
  return definition.definition.steps.filter(({ type }) => type !== "END").map(({ id }) => id)
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
