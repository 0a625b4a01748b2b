// An end to waiting for a client that closes: a broker that is silent would keep it for ever.

const CLOSE_MS = 2_000

/** Resolves when it is closed, when that failed, or after a while. */
export const closeWithin = (close: (done: () => void) => void): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, CLOSE_MS)
    close(() => {
      clearTimeout(timer)
      resolve()
    })
  })
