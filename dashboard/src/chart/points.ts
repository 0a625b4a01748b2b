// The arithmetic of charts: counts as rates, many points as few, points as a path, and the last value that is known.

export type Value = number | null

export const perSecond = (counts: readonly number[], stepSeconds: number): number[] =>
  counts.map((count) => count / stepSeconds)

/** Neighbours together, `size` of them; aligned at the end, so that the newest group is as whole as the others. */
function groupsOf<T>(values: readonly T[], size: number): (readonly T[])[] {
  const skipped = values.length % size
  return Array.from({ length: (values.length - skipped) / size }, (_, at) =>
    values.slice(skipped + at * size, skipped + (at + 1) * size),
  )
}

export const meansOf = (values: readonly number[], size: number): number[] =>
  groupsOf(values, size).map((group) => group.reduce((sum, value) => sum + value, 0) / size)

/** What each group of `meansOf` ends with. */
export const lastsOf = <T>(values: readonly T[], size: number): T[] =>
  groupsOf(values, size).map((group) => group.at(-1) as T)

export const lastOf = (values: readonly Value[]): Value => values.findLast((value) => value !== null) ?? null

interface Box {
  readonly width: number
  readonly height: number
}

/** From the left to the right edge, zero at the bottom and the highest value at the top; a gap where a value is not known. */
export function pathOf(values: readonly Value[], { width, height }: Box): string {
  const top = Math.max(...values.map((value) => value ?? 0), Number.MIN_VALUE)
  const stepX = width / Math.max(1, values.length - 1)
  const parts = values.map((value, at) => {
    if (value === null) return ""
    const isStart = at === 0 || values[at - 1] === null
    return `${isStart ? "M" : "L"}${round(at * stepX)},${round(height - (value / top) * height)}`
  })
  return parts.filter((part) => part !== "").join("")
}

const round = (value: number): number => Math.round(value * 100) / 100
