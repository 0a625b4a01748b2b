// The axis of the timeline: true to scale, or with long waits squeezed so that what is short can be seen beside them.
import { durationText } from "../../../kit/time.tsx"

export interface Tick {
  /** From 0 to 1. */
  readonly at: number
  readonly label: string
}

export interface TimeScale {
  /** From 0 to 1. */
  readonly at: (ms: number) => number
  readonly ticks: readonly Tick[]
}

const TICKS = 5
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500]
const SECONDS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 43_200, 86_400]

export function trueScale(from: number, to: number): TimeScale {
  const span = Math.max(1, to - from)
  const step = niceStep(span / TICKS)
  const count = Math.floor(span / step)
  const ticks = Array.from({ length: count + 1 }, (_, index) => tick((index * step) / span, index * step))
  return { at: (ms) => clamp((ms - from) / span), ticks }
}

/** Between two moments where something began or ended there is room by the logarithm of the time. */
export function squeezedScale(from: number, to: number, moments: readonly number[]): TimeScale {
  const stops = [...new Set([from, ...moments.filter((ms) => ms > from && ms < to), to])].sort((a, b) => a - b)
  const weights = stops.slice(1).map((stop, index) => Math.log2(1 + stop - (stops[index] as number)))
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1
  const places = [0]
  for (const weight of weights) places.push((places.at(-1) as number) + weight / total)
  const at = (ms: number): number => {
    const next = stops.findIndex((stop) => stop >= ms)
    if (next <= 0) return next === 0 ? 0 : 1
    const [a, b] = [stops[next - 1] as number, stops[next] as number]
    const [x, y] = [places[next - 1] as number, places[next] as number]
    return x + ((ms - a) / (b - a)) * (y - x)
  }
  return { at, ticks: spread(stops.map((stop, index) => tick(places[index] as number, stop - from))) }
}

/** Long waits hide the rest: the longest stretch is far longer than an ordinary one. */
export function wantsSqueezing(from: number, to: number, moments: readonly number[]): boolean {
  const stops = [...new Set([from, ...moments, to])].sort((a, b) => a - b)
  const stretches = stops.slice(1).map((stop, index) => stop - (stops[index] as number))
  const sorted = stretches.sort((a, b) => a - b)
  const median = sorted[Math.floor((sorted.length - 1) / 2)] ?? 0
  return sorted.length > 2 && (sorted.at(-1) ?? 0) > 40 * Math.max(1, median)
}

const tick = (at: number, ms: number): Tick => ({ at, label: ms === 0 ? "0" : durationText(ms) })

/** Not so near to each other that their labels would meet. */
function spread(ticks: readonly Tick[]): readonly Tick[] {
  const kept: Tick[] = []
  for (const one of ticks) {
    const last = kept.at(-1)
    if (!last || (one.at - last.at >= 1 / (TICKS + 2) && one.label !== last.label)) kept.push(one)
  }
  return kept
}

const clamp = (share: number): number => Math.min(1, Math.max(0, share))

function niceStep(least: number): number {
  const days = 86_400_000
  const found = [...STEPS, ...SECONDS.map((seconds) => seconds * 1_000)].find((step) => step >= least)
  return found ?? Math.ceil(least / days) * days
}
