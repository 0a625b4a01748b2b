// How long a timer of Node can be: a longer one would go off at once.
const LONGEST_MS = 2 ** 31 - 1

export const timerMs = (ms: number): number => Math.min(LONGEST_MS, Math.max(0, ms))
