// The life of a long-running command: start one thing after the other, wait for a signal, stop them in reverse.

/** What was started, newest last. */
export interface Started {
  readonly name: string
  stop(): Promise<void>
}

export interface Signals {
  on(signal: NodeJS.Signals, listener: () => void): unknown
  off(signal: NodeJS.Signals, listener: () => void): unknown
}

interface Lifecycle {
  /** Starts everything; hands each part over as soon as it runs, and may look whether to go on. */
  readonly start: (add: (part: Started) => void) => Promise<void>
  /** Words for people: what is being stopped. */
  readonly say: (text: string) => void
  /** Ends the process at once, for a second Ctrl-C. */
  readonly force: () => void
  readonly signals?: Signals
  readonly nowMs?: () => number
}

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const
/** npm passes on the Ctrl-C that the terminal has sent to us already: both within this time are one. */
const SAME_KEYPRESS_MS = 300

/** Thrown out of `start` by `add` when a signal came meanwhile. */
class Interrupted extends Error {}

/** Returns when all is stopped after a signal; throws what the start threw before one, with all that had started stopped. */
export async function runUntilStopped({
  start,
  say,
  force,
  signals = process,
  nowMs = Date.now,
}: Lifecycle): Promise<void> {
  const parts: Started[] = []
  const interrupt = listen({ say, force, signals, nowMs })
  try {
    await start((part) => {
      parts.push(part)
      if (interrupt.seen()) throw new Interrupted()
    })
    await interrupt.wait
  } catch (error) {
    // A start that fails after a signal has most likely failed by it: a Ctrl-C reaches child processes, too.
    if (!interrupt.seen()) throw error
  } finally {
    await stopAll(parts, say)
    interrupt.close()
  }
}

function listen({ say, force, signals, nowMs }: Required<Omit<Lifecycle, "start">>) {
  let firstAt: number | undefined
  let done = () => {}
  const wait = new Promise<void>((resolve) => {
    done = resolve
  })
  const listener = () => {
    if (firstAt === undefined) {
      firstAt = nowMs()
      say("Stopping: open work is finished first (Ctrl-C again ends at once).")
      done()
    } else if (nowMs() - firstAt > SAME_KEYPRESS_MS) force()
  }
  for (const signal of SIGNALS) signals.on(signal, listener)
  // Waiting for a signal does not keep node alive by itself.
  const alive = setInterval(() => {}, 1 << 30)
  const close = () => {
    clearInterval(alive)
    for (const signal of SIGNALS) signals.off(signal, listener)
  }
  return { wait, seen: () => firstAt !== undefined, close }
}

// A part that fails to stop must not keep the ones below it running.
async function stopAll(parts: Started[], say: (text: string) => void): Promise<void> {
  let failure: unknown
  for (const { name, stop } of parts.reverse()) {
    try {
      await stop()
      say(`Stopped ${name}.`)
    } catch (error) {
      failure ??= error
    }
  }
  if (failure) throw failure
}
