// The nearest known name to a mistyped one, for "did you mean".

/** The candidate within a quarter of its length in edits, or undefined when none is that close. */
export function nearest(name: string, candidates: readonly string[]): string | undefined {
  const wanted = name.toLowerCase().slice(0, 100)
  const scored = candidates.map((candidate) => ({ candidate, edits: editDistance(wanted, candidate.toLowerCase()) }))
  const best = scored.sort((a, b) => a.edits - b.edits)[0]
  return best && best.edits <= Math.max(2, Math.floor(best.candidate.length / 4)) ? best.candidate : undefined
}

function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replace = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replace, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[b.length]!
}
