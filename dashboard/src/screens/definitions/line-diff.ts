// The difference of two texts, line by line: the fewest lines that went and came, as Myers finds them.

export interface DiffLine {
  readonly kind: "same" | "added" | "removed"
  readonly text: string
}

/** Beyond this many changed lines the texts have nothing to do with each other: all of one goes, all of the other comes. */
const MOST_CHANGES = 1_000

export function lineDiff(before: readonly string[], after: readonly string[]): DiffLine[] {
  const head = commonHead(before, after)
  const tail = commonTail(before.slice(head), after.slice(head))
  const middle = changed(before.slice(head, before.length - tail), after.slice(head, after.length - tail))
  return [...before.slice(0, head).map(same), ...middle, ...before.slice(before.length - tail).map(same)]
}

const same = (text: string): DiffLine => ({ kind: "same", text })
const added = (text: string): DiffLine => ({ kind: "added", text })
const removed = (text: string): DiffLine => ({ kind: "removed", text })

function commonHead(a: readonly string[], b: readonly string[]): number {
  let length = 0
  while (length < a.length && length < b.length && a[length] === b[length]) length++
  return length
}

const commonTail = (a: readonly string[], b: readonly string[]): number => commonHead(a.toReversed(), b.toReversed())

function changed(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length === 0) return b.map(added)
  if (b.length === 0) return a.map(removed)
  const reached = furthestReach(a, b)
  return reached ? walkBack(a, b, reached) : [...a.map(removed), ...b.map(added)]
}

type Reach = Map<number, number>

const goesDown = (reach: Reach, k: number, d: number): boolean =>
  k === -d || (k !== d && (reach.get(k - 1) ?? -1) < (reach.get(k + 1) ?? -1))

/** For each number of changes, how far down each diagonal one gets; undefined when it takes too many. */
function furthestReach(a: readonly string[], b: readonly string[]): Reach[] | undefined {
  const all: Reach[] = []
  let reach: Reach = new Map([[1, 0]])
  for (let d = 0; d <= Math.min(a.length + b.length, MOST_CHANGES); d++) {
    all.push(reach)
    const next: Reach = new Map()
    for (let k = -d; k <= d; k += 2) {
      let x = goesDown(reach, k, d) ? (reach.get(k + 1) ?? 0) : (reach.get(k - 1) ?? 0) + 1
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x++
      next.set(k, x)
      if (x >= a.length && x - k >= b.length) return all
    }
    reach = next
  }
  return undefined
}

function walkBack(a: readonly string[], b: readonly string[], reached: readonly Reach[]): DiffLine[] {
  const lines: DiffLine[] = []
  let [x, y] = [a.length, b.length]
  for (let d = reached.length - 1; d >= 0; d--) {
    const reach = reached[d] as Reach
    const k = x - y
    const isDown = goesDown(reach, k, d)
    const fromX = d === 0 ? 0 : (reach.get(isDown ? k + 1 : k - 1) ?? 0)
    const fromY = d === 0 ? 0 : fromX - (isDown ? k + 1 : k - 1)
    while (x > fromX && y > fromY) {
      lines.push(same(a[x - 1] as string))
      x--
      y--
    }
    if (d > 0) lines.push(isDown ? added(b[y - 1] as string) : removed(a[x - 1] as string))
    ;[x, y] = [fromX, fromY]
  }
  return lines.toReversed()
}

/** A run of lines that is shown, or how many were left out. */
export type Hunk = { readonly lines: readonly DiffLine[] } | { readonly skipped: number }

/** Changes with some lines around them; long stretches of sameness are left out. */
export function hunksOf(lines: readonly DiffLine[], around = 3): Hunk[] {
  const near = lines.map((_, at) => lines.slice(Math.max(0, at - around), at + around + 1).some(isChange))
  const hunks: Hunk[] = []
  for (let at = 0; at < lines.length; ) {
    const isNear = near[at] as boolean
    const next = near.indexOf(!isNear, at)
    const end = next === -1 ? lines.length : next
    hunks.push(isNear ? { lines: lines.slice(at, end) } : { skipped: end - at })
    at = end
  }
  return hunks
}

const isChange = ({ kind }: DiffLine): boolean => kind !== "same"
