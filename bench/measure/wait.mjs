// Waiting: for a time, and for a condition with a limit, so that a stuck contestant fails instead of hanging.
export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

export const now = () => performance.now()

export async function until(condition, { everyMs = 5, limitMs = 300_000 } = {}) {
  const startedAt = now()
  while (!(await condition())) {
    if (now() - startedAt > limitMs) throw new Error(`gave up waiting after ${limitMs / 1000} s`)
    await sleep(everyMs)
  }
}

/** Runs `callers` loops at once until `n` calls have been made or `limitMs` has passed; returns how many were made. */
export async function callConcurrently({ callers, n, limitMs = Number.POSITIVE_INFINITY }, call) {
  const endsAt = now() + limitMs
  let made = 0
  const loop = async () => {
    while (made < n && now() < endsAt) await call(made++)
  }
  await Promise.all(Array.from({ length: Math.min(callers, n) }, loop))
  return made
}
