// A bar that fills: how far a long piece of work is, or how full something is.
import { cx } from "./classes.ts"

interface Props {
  readonly label: string
  readonly value: number
  readonly max: number
  readonly tone?: "accent" | "warn" | "bad"
}

const TONES = { accent: "bg-accent", warn: "bg-warn", bad: "bg-bad" } as const

export function Progress({ label, value, max, tone = "accent" }: Props) {
  const share = max > 0 ? Math.min(1, value / max) : 0
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(value, max)}
      className="bg-calm-soft h-2 overflow-hidden rounded-full"
    >
      <div
        className={cx("h-full rounded-full motion-safe:transition-[width]", TONES[tone])}
        style={{ width: `${share * 100}%` }}
      />
    </div>
  )
}
