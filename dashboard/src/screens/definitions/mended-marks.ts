// Which marks of a refusal are done with: what they speak of is not any more what was refused.
import type { Violation } from "../../api/http.ts"
import { readPath } from "../../forms/json-places.ts"

/** What is said of a whole part, such as that nothing leads to a step, may be mended anywhere: any change ends it. */
export function mendedMarks(marks: readonly Violation[], refused: unknown, now: unknown): readonly Violation[] {
  const isChanged = JSON.stringify(refused) !== JSON.stringify(now)
  return marks.filter(({ path }) => {
    const parts = readPath(path)
    const before = valueAt(refused, parts)
    const isWhole = typeof before === "object" && before !== null
    return isWhole ? isChanged : before !== valueAt(now, parts)
  })
}

const valueAt = (document: unknown, path: readonly (string | number)[]): unknown => path.reduce(inside, document)

function inside(value: unknown, key: string | number): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined
  return (value as Record<string | number, unknown>)[key]
}
