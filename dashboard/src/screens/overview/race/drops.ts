// How fast drops pass: at the true rate, each drop one job, or ten, or a hundred, so that the eye can follow.

/** No more drops than this pass a point in a second. */
const MOST_PER_SECOND = 10

/** How many jobs one drop stands for, in the whole picture alike: a power of ten. */
export function jobsPerDrop(rates: readonly number[]): number {
  const fastest = Math.max(0, ...rates)
  return fastest <= MOST_PER_SECOND ? 1 : 10 ** Math.ceil(Math.log10(fastest / MOST_PER_SECOND))
}
