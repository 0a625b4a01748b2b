// Times and durations as people say them; the exact moment is in the tooltip.
import { useSyncExternalStore } from "react"
import { relativeText } from "../../../engine/src/model/kernel/relative-time.ts"

const SECOND = 1_000
const UNITS = [
  ["d", 86_400 * SECOND],
  ["h", 3_600 * SECOND],
  ["min", 60 * SECOND],
  ["s", SECOND],
] as const

/** `1 h 5 min`, `3.2 s`, `40 ms`. */
export function durationText(ms: number): string {
  if (ms < SECOND) return `${Math.max(0, Math.round(ms))} ms`
  if (ms < 10 * SECOND) return `${(ms / SECOND).toFixed(1)} s`
  const at = UNITS.findIndex(([, size]) => ms >= size)
  const [unit, size] = UNITS[at] as (typeof UNITS)[number]
  const next = UNITS[at + 1]
  const rest = next ? Math.floor((ms % size) / next[1]) : 0
  return `${Math.floor(ms / size)} ${unit}${next && rest > 0 ? ` ${rest} ${next[0]}` : ""}`
}

// One clock for the page: every time that is shown moves at once.
let now = Date.now()
const listeners = new Set<() => void>()
let ticking: ReturnType<typeof setInterval> | undefined

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  ticking ??= setInterval(() => {
    now = Date.now()
    for (const one of listeners) one()
  }, SECOND)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(ticking)
    ticking = undefined
  }
}

/** Moves once a second. */
export const useNow = (): number => useSyncExternalStore(subscribe, () => now)

const FULL = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" })
const CLOCK = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" })

export const fullTime = (at: string | number): string => FULL.format(new Date(at))
/** The text of a moment from an address, which may hold anything. */
export const momentText = (moment: string): string => (Number.isNaN(Date.parse(moment)) ? moment : fullTime(moment))
/** By the clock alone where it is today. */
export const timeOfDay = (at: string, now: number): string =>
  new Date(at).toDateString() === new Date(now).toDateString() ? clockTime(at) : fullTime(at)

export const clockTime = (at: string | number): string => CLOCK.format(new Date(at))

/** `3 min ago`, with the exact time on hover. */
export function Ago({ at }: { readonly at: string | undefined }) {
  const now = useNow()
  if (at === undefined) return <span className="text-muted">–</span>
  return (
    <time dateTime={at} title={`${fullTime(at)} (${at})`} className="whitespace-nowrap">
      {relativeText(Date.parse(at), now)}
    </time>
  )
}
