// `--watch`: the same picture once a second, in place, until Ctrl-C or until there is no more to see. What it showed last stays.
import type { Signals } from "./run-until-stopped.ts"
import type { Screen } from "./surroundings.ts"

interface Watch {
  readonly screen: Screen
  /** The picture as it is now, in lines. */
  readonly draw: () => Promise<readonly string[]>
  /** Asked after each picture: no other will follow it. Without it only a signal ends the watch. */
  readonly isOver?: () => boolean
  readonly signals?: Signals
  readonly everyMs?: number | undefined
}

const EVERY_MS = 1_000
const STOPPERS = ["SIGINT", "SIGTERM", "SIGHUP"] as const

// The alternate screen: what was on the terminal before is there again afterwards.
// Lines that are too long are cut there: a wrapped one would push the others out of place.
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[?7l"
const LEAVE = "\u001b[?7h\u001b[?25h\u001b[?1049l"
const HOME = "\u001b[H"
const END_OF_LINE = "\u001b[K"
const END_OF_SCREEN = "\u001b[J"

/** True when the work ended by itself, false when it was stopped. */
export async function watch({
  screen,
  draw,
  isOver = () => false,
  signals = process,
  everyMs = EVERY_MS,
}: Watch): Promise<boolean> {
  const stop = stopper(signals)
  let last: readonly string[] = []
  if (screen.isTTY) screen.write(ENTER)
  try {
    while (!stop.asked()) {
      last = await draw()
      if (!stop.asked()) screen.write(screen.isTTY ? frame(last, screen.rows) : inLines(last))
      if (isOver()) return true
      await stop.within(everyMs)
    }
    return false
  } finally {
    stop.close()
    if (screen.isTTY) screen.write(`${LEAVE}${inLines(last)}`)
  }
}

const inLines = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("")

/** Written over the last one, so that nothing flickers. */
function frame(lines: readonly string[], rows = 24): string {
  const fits = lines.length < rows ? lines : [...lines.slice(0, rows - 2), `… ${lines.length - rows + 2} more lines`]
  return `${HOME}${fits.map((line) => `${line}${END_OF_LINE}\n`).join("")}${END_OF_SCREEN}`
}

function stopper(signals: Signals) {
  let asked = false
  let wake = () => {}
  const listener = () => {
    asked = true
    wake()
  }
  for (const signal of STOPPERS) signals.on(signal, listener)
  return {
    asked: () => asked,
    within: (ms: number) =>
      new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, asked ? 0 : ms)
        wake = () => {
          clearTimeout(timer)
          resolve()
        }
      }),
    close: () => {
      for (const signal of STOPPERS) signals.off(signal, listener)
    },
  }
}
