// How something stands: a word with a dot, or a label; the word says it, the colour only helps.
import { cx } from "./classes.ts"

export type Tone = "good" | "warn" | "bad" | "info" | "calm"

const TONES: Readonly<Record<Tone, string>> = {
  good: "bg-good-soft text-good",
  warn: "bg-warn-soft text-warn",
  bad: "bg-bad-soft text-bad",
  info: "bg-info-soft text-info",
  calm: "bg-calm-soft text-calm",
}

const TONE_OF: Readonly<Record<string, Tone>> = {
  ACTIVE: "info",
  RUNNING: "info",
  LOCKED: "info",
  WAITING: "warn",
  UNLOCKED: "warn",
  OPEN: "warn",
  COMPLETED: "good",
  FAILED: "bad",
  DEAD: "bad",
  CANCELLED: "calm",
  SKIPPED: "calm",
}

export const toneOf = (status: string): Tone => TONE_OF[status] ?? "calm"

export function Badge({ tone = "calm", children }: { readonly tone?: Tone; readonly children: React.ReactNode }) {
  return (
    <span
      className={cx(
        "inline-block max-w-full truncate rounded px-1.5 py-0.5 align-bottom text-xs font-medium",
        TONES[tone],
      )}
    >
      {children}
    </span>
  )
}

const DOTS: Readonly<Record<Tone, string>> = {
  good: "bg-good",
  warn: "bg-warn",
  bad: "bg-bad",
  info: "bg-info",
  calm: "bg-calm",
}

/** In a list of many rows: a filled label in each would be all that one sees. */
export const Standing = ({ tone, children }: { readonly tone: Tone; readonly children: React.ReactNode }) => (
  <span className="inline-flex items-center gap-1.5 whitespace-nowrap">
    <span aria-hidden="true" className={cx("size-2 shrink-0 rounded-full", DOTS[tone])} />
    <span>{children}</span>
  </span>
)

export const Status = ({ of }: { readonly of: string }) => <Standing tone={toneOf(of)}>{of.toLowerCase()}</Standing>
