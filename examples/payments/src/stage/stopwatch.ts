// Lines with the seconds since the start before them.

export function stopwatch(): (line: string) => void {
  const startedAt = performance.now()
  return (line) => console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${line}`)
}
