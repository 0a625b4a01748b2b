// One row of the waterfall: the name, the bar with the attempts in it, and how long it took.
import { memo } from "react"
import { cx } from "../../../kit/classes.ts"
import { durationText } from "../../../kit/time.tsx"
import { piecesOf, timesOf, type WaterfallRow } from "./rows.ts"
import type { TimeScale } from "./time-scale.ts"

/** Names, bars, durations; the last only where there is room. */
export const GRID = "grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-3 sm:grid-cols-[11rem_minmax(0,1fr)_5rem] items-center"

const TONES: Readonly<Record<WaterfallRow["status"], string>> = {
  RUNNING: "bg-info",
  COMPLETED: "bg-good",
  FAILED: "bg-bad",
  SKIPPED: "bg-calm",
  WAITING: "bg-warn",
  PENDING: "bg-calm",
}

/** A wait is hatched: no worker is busy with it. */
const toneOf = ({ status, isTolerated, wait }: WaterfallRow): string =>
  cx(isTolerated ? "bg-warn" : TONES[status], wait !== undefined && "hatched")

/** Attempts that did not end the step. A worker that was lost has left an empty place. */
export const PIECES = {
  broken: "border-surface bg-warn border-r-2",
  lost: "border-warn border border-dashed",
} as const

interface Props {
  readonly row: WaterfallRow
  readonly scale: TimeScale
  readonly end: number
  readonly isFirst: boolean
  readonly isMarked: boolean
  readonly onShow: (id: string) => void
  readonly onSelect: (stepId: string) => void
}

export const WaterfallBar = memo(function WaterfallBar(props: Props) {
  const { row, scale, end, isFirst, isMarked, onShow, onSelect } = props
  const show = () => onShow(row.id)
  return (
    // What is not seen is not laid out.
    <li className="[contain-intrinsic-size:auto_1.25rem] [content-visibility:auto]">
      <button
        type="button"
        tabIndex={isFirst ? 0 : -1}
        onFocus={show}
        onMouseEnter={show}
        onClick={() => onSelect(row.stepId)}
        className={cx(GRID, "w-full rounded py-0.5 text-left", isMarked ? "bg-accent-soft" : "hover:bg-sunken")}
      >
        <span className="min-w-0 text-xs">
          <span className={cx("block truncate", row.status === "FAILED" && !row.isTolerated && "text-bad font-medium")}>
            {row.name}
          </span>
          {row.wait !== undefined && row.endedAt === undefined && (
            <span className="text-warn block truncate" title={row.wait}>
              {row.wait}
            </span>
          )}
        </span>
        <span className="bg-sunken relative block h-4 overflow-hidden rounded-sm">
          {piecesOf(row, end).map(({ key, from, to, kind }) => (
            <span
              key={key}
              className={cx(
                "absolute inset-y-0.5 min-w-[3px] rounded-[2px]",
                kind === "last" ? toneOf(row) : PIECES[kind],
                row.status === "RUNNING" && kind === "last" && "motion-safe:animate-pulse",
              )}
              // A bar at the very end is seen too.
              style={{
                left: `min(${scale.at(from) * 100}%, calc(100% - 3px))`,
                width: `${(scale.at(to) - scale.at(from)) * 100}%`,
              }}
            />
          ))}
        </span>
        <span className="sr-only">{timesOf(row, end)}</span>
        <span aria-hidden="true" className="text-muted text-right text-xs whitespace-nowrap max-sm:hidden">
          {durationText(end - row.startedAt)}
        </span>
      </button>
    </li>
  )
})
