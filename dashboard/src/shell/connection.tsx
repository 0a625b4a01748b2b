// Whether what is shown is fresh: a light while it is, a banner when it is not.
import { useConnection } from "../api/live.ts"
import { cx } from "../kit/classes.ts"
import { clockTime, useNow } from "../kit/time.tsx"

const WORDS = {
  connecting: "Connecting",
  live: "Live",
  lost: "Connection lost",
  closed: "Not live: read again every 15 s",
} as const
const LIGHTS = { connecting: "bg-warn", live: "bg-good", lost: "bg-bad", closed: "bg-calm" } as const

export function ConnectionLight() {
  const { state } = useConnection()
  return (
    <p className="text-muted flex items-center gap-2 text-xs" data-connection={state}>
      <span className={cx("size-2 rounded-full", LIGHTS[state])} aria-hidden="true" />
      {WORDS[state]}
    </p>
  )
}

/** A blink is no news: it is shown after a moment. */
const PATIENCE_MS = 2_500

export function ConnectionBanner() {
  const { state, since } = useConnection()
  const now = useNow()
  if (state === "live" || state === "closed" || now - since < PATIENCE_MS) return null
  return (
    <p role="alert" className="bg-warn-soft text-warn px-6 py-2 font-medium">
      {state === "lost"
        ? `The connection to the engine was lost at ${clockTime(since)}. What you see may be old; reconnecting…`
        : "Waiting for the engine to answer…"}
    </p>
  )
}
