// "Did you mean": the known name nearest to a mistyped one. The model of the engine and the SDK both have this file, to the letter: neither
// may import the other.

const FURTHEST = 2
const LONGEST_NAME = 40

export function closestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > LONGEST_NAME) return undefined
  let best: { candidate: string; distance: number } | undefined
  for (const candidate of known) {
    const distance = distanceOf(name.toLowerCase(), candidate.toLowerCase())
    // A short name is near to everything: at least half of it must be right.
    if (distance > Math.min(FURTHEST, candidate.length / 2)) continue
    if (best === undefined || distance < best.distance) best = { candidate, distance }
  }
  return best?.candidate
}

/** How many letters must be added, dropped or replaced to turn one into the other. */
function distanceOf(left: string, right: string): number {
  if (Math.abs(left.length - right.length) > FURTHEST) return FURTHEST + 1
  let row = Array.from({ length: right.length + 1 }, (_, index) => index)
  for (const [index, letter] of [...left].entries()) row = nextRow(row, letter, right, index + 1)
  return row[right.length] as number
}

function nextRow(above: readonly number[], letter: string, right: string, first: number): number[] {
  const row = [first]
  for (let index = 1; index < above.length; index += 1) {
    const replaced = (above[index - 1] as number) + Number(right.charAt(index - 1) !== letter)
    row.push(Math.min(replaced, (above[index] as number) + 1, (row[index - 1] as number) + 1))
  }
  return row
}
