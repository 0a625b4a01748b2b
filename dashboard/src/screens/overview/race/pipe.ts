// A pipe: a line through some points with round corners, as the path of an SVG.

export type Point = readonly [x: number, y: number]

const ROUND = 10

export function pipe(points: readonly Point[]): string {
  const [first, ...rest] = points
  if (!first) return ""
  const parts = rest.map((point, n) => {
    const before = points[n] as Point
    const after = rest[n + 1]
    return after ? corner(before, point, after) : `L${point[0]} ${point[1]}`
  })
  return `M${first[0]} ${first[1]} ${parts.join(" ")}`
}

/** Up to where the bend begins, and around it. */
function corner(before: Point, at: Point, after: Point): string {
  const start = towards(at, before)
  const end = towards(at, after)
  return `L${start[0]} ${start[1]} Q${at[0]} ${at[1]} ${end[0]} ${end[1]}`
}

/** A short line has a small bend. */
function towards([x, y]: Point, [toX, toY]: Point): Point {
  const length = Math.hypot(toX - x, toY - y)
  const step = length === 0 ? 0 : Math.min(ROUND, length / 2) / length
  return [round(x + (toX - x) * step), round(y + (toY - y) * step)]
}

const round = (value: number): number => Math.round(value * 10) / 10
