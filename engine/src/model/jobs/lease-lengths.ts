// How long a step's job is leased to a worker that names no length and sends no heartbeat: longer each time a lease was lost, because
// such a worker may be slow and not gone.

/**
 * Four deliveries then last 1 + 4 + 16 + 64 = 85 times the first lease: 42 minutes at 30 s. With a growth of 2 it would be 15 times, and
 * a handler that takes ten minutes would be given up as a poison pill.
 */
const GROWTH = 4
const LONGEST_MS = 3_600_000

/** The first lease, the one after a lost lease, and so on; every later one is as long as the last. */
export function leaseLengths(firstMs: number): number[] {
  const lengths = [firstMs]
  for (let next = firstMs * GROWTH; next < LONGEST_MS; next *= GROWTH) lengths.push(next)
  if (firstMs < LONGEST_MS) lengths.push(LONGEST_MS)
  return lengths
}
