// Points to lines: a soft curve from row to row, and a line with rounded corners for what goes around.
export interface Point {
  readonly x: number
  readonly y: number
}

const n = (value: number): number => Math.round(value * 10) / 10

/** Leaves and arrives upright. */
export function curveThrough(points: readonly Point[]): string {
  const [first, ...rest] = points
  if (!first) return ""
  let { x, y } = first
  let path = `M${n(x)} ${n(y)}`
  for (const to of rest) {
    const middle = (y + to.y) / 2
    path +=
      x === to.x ? `L${n(to.x)} ${n(to.y)}` : `C${n(x)} ${n(middle)} ${n(to.x)} ${n(middle)} ${n(to.x)} ${n(to.y)}`
    x = to.x
    y = to.y
  }
  return path
}

const RADIUS = 8

export function roundedThrough(points: readonly Point[]): string {
  return points
    .map((point, index) => {
      const before = points[index - 1]
      const after = points[index + 1]
      if (!before) return `M${n(point.x)} ${n(point.y)}`
      if (!after) return `L${n(point.x)} ${n(point.y)}`
      const into = towards(point, before)
      const out = towards(point, after)
      return `L${n(into.x)} ${n(into.y)}Q${n(point.x)} ${n(point.y)} ${n(out.x)} ${n(out.y)}`
    })
    .join("")
}

function towards(from: Point, to: Point): Point {
  const length = Math.hypot(to.x - from.x, to.y - from.y)
  const share = length === 0 ? 0 : Math.min(RADIUS, length / 2) / length
  return { x: from.x + (to.x - from.x) * share, y: from.y + (to.y - from.y) * share }
}
