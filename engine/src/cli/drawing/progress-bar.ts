// Bars of blocks: how many jobs wait at a priority, and how far a bulk operation has come.
import type { Paint, Style } from "./paint.ts"
import { count } from "./times.ts"

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"]

/** The bar always has this width. A share above one is a full bar. */
export function bar(share: number, width: number, empty = "░"): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share)) * width * 8)
  const part = EIGHTHS[eighths % 8] as string
  const full = "█".repeat(Math.floor(eighths / 8)) + part
  return full + empty.repeat(width - Math.ceil(eighths / 8))
}

export interface Level {
  readonly depth: number
  readonly high: number
  readonly low: number
  readonly shut: boolean
}

/** The high watermark is the right end, the low one a mark on the way: a shut gate opens below it. */
export function levelBar({ depth, high, low }: Level, width: number): string {
  const blocks = [...bar(high > 0 ? depth / high : 0, width, "·")]
  const mark = Math.min(width - 1, Math.max(0, Math.round((low / high) * width)))
  // Seen where the bar has not come to yet.
  if (blocks[mark] === "·") blocks[mark] = "┊"
  return blocks.join("")
}

/** Four fifths are the depth at which the alert rules speak up. */
export const levelStyle = ({ depth, high, shut }: Level): Style =>
  shut ? "red" : depth >= 0.8 * high ? "yellow" : depth === 0 ? "dim" : "green"

export interface Progress {
  readonly matched: number
  readonly done: number
  readonly failed: number
}

export function progressLine(verb: string, { matched, done, failed }: Progress, width: number, paint: Paint): string {
  const share = matched === 0 ? 1 : (done + failed) / matched
  const numbers = `${count(done + failed)} of ${count(matched)}${failed > 0 ? `, ${count(failed)} failed` : ""}`
  const room = Math.max(5, Math.min(40, width - verb.length - numbers.length - 12))
  const percent = `${Math.floor(Math.min(1, share) * 100)} %`
  return `${verb}  ${paint("cyan", bar(share, room))}  ${percent.padStart(5)}  ${numbers}`
}
