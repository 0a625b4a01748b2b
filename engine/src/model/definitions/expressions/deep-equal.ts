// Equality of JSON values by content. Iterative, because a deep document must not overflow the stack, and metered.
import type { JsonValue } from "../../../support/json.ts"
import { isObject } from "../../../support/json.ts"

/** Takes steps from the budget of one evaluation; throws when it is used up. */
export interface Spend {
  (steps: number): void
  /** Work over so many characters. */
  text(length: number): void
}

type Pair = readonly [left: JsonValue, right: JsonValue]

export function deepEqual(left: JsonValue, right: JsonValue, spend: Spend): boolean {
  const pending: Pair[] = [[left, right]]
  for (let pair = pending.pop(); pair !== undefined; pair = pending.pop()) {
    const inner = innerPairs(pair[0], pair[1], spend)
    if (inner === undefined) return false
    for (const next of inner) pending.push(next)
  }
  return true
}

/** The pairs that decide whether these two are equal, or undefined when they already differ. */
function innerPairs(left: JsonValue, right: JsonValue, spend: Spend): readonly Pair[] | undefined {
  spend(1)
  if (typeof left === "string" && typeof right === "string") spend.text(Math.min(left.length, right.length))
  if (left === right) return []
  if (Array.isArray(left) && Array.isArray(right)) return arrayPairs(left, right, spend)
  if (isObject(left) && isObject(right)) return objectPairs(left, right, spend)
  return undefined
}

function arrayPairs(
  left: readonly JsonValue[],
  right: readonly JsonValue[],
  spend: Spend,
): readonly Pair[] | undefined {
  if (left.length !== right.length) return undefined
  spend(left.length)
  return left.map((item, index): Pair => [item, right[index] as JsonValue])
}

type Fields = Readonly<Record<string, JsonValue>>

function objectPairs(left: Fields, right: Fields, spend: Spend): readonly Pair[] | undefined {
  const keys = Object.keys(left)
  spend(keys.length)
  if (keys.length !== Object.keys(right).length) return undefined
  if (!keys.every((key) => Object.hasOwn(right, key))) return undefined
  return keys.map((key): Pair => [left[key] as JsonValue, right[key] as JsonValue])
}
