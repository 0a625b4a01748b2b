// When each step ran: a bar for each execution on one axis of time. Open ones grow.

import { type KeyboardEvent, useCallback, useMemo, useState } from "react"
import { isLive } from "../../../api/instances.ts"
import { cx } from "../../../kit/classes.ts"
import { Words } from "../../../kit/cut-text.tsx"
import { CheckField } from "../../../kit/fields/fields.tsx"
import { Empty } from "../../../kit/states.tsx"
import { useNow } from "../../../kit/time.tsx"
import { stepName } from "../drawn-definition.ts"
import type { PanelProps } from "../panels/panel-props.ts"
import { standingOf } from "../step-words.ts"
import { rowsOf, rowWords, spanOf, timelessOf, type WaterfallRow } from "./rows.ts"
import { squeezedScale, type TimeScale, trueScale, wantsSqueezing } from "./time-scale.ts"
import { GRID, PIECES, WaterfallBar } from "./waterfall-bar.tsx"

export function Waterfall({ instance, definition, history, search, change }: PanelProps) {
  const clock = useNow()
  const now = isLive(instance) ? clock : 0
  const [shown, setShown] = useState<string>()
  const rows = useMemo(() => rowsOf(definition, history), [definition, history])
  const { from, to, moments } = useMemo(() => spanOf(instance, rows, now), [instance, rows, now])
  const isSqueezed = search.scale === undefined ? wantsSqueezing(from, to, moments) : search.scale === "squeezed"
  const scale = useMemo(
    () => (isSqueezed ? squeezedScale(from, to, moments) : trueScale(from, to)),
    [isSqueezed, from, to, moments],
  )
  const select = useCallback((step: string) => change({ step }), [change])
  const timeless = useMemo(() => timelessOf(history), [history])
  if (history.length === 0)
    return <Empty title="No step has been entered yet.">Each execution of a step is a bar here.</Empty>
  const current = rows.find(({ id }) => id === shown)
  return (
    <div className="px-4 pb-3">
      {/* Beside the bars, however far down one is. */}
      <div className="bg-surface sticky top-0 z-10 pt-3">
        <div className="mb-2 flex flex-wrap items-center justify-between gap-x-4 gap-y-1">
          {/* Two lines, whatever they say: bars that moved would slip away from under the pointer. */}
          <p className="text-muted line-clamp-2 h-8 min-w-0 flex-1 basis-48 text-xs">
            <Words
              text={
                current
                  ? rowWords(current, clock)
                  : "Point at a bar, or go to it with the arrow keys, to see its times."
              }
            />
          </p>
          <Legend rows={rows} />
          <CheckField
            label="Squeeze long waits"
            className="text-xs"
            checked={isSqueezed}
            onChange={() => change({ scale: isSqueezed ? "true" : "squeezed" })}
          />
        </div>
        <Axis scale={scale} />
      </div>
      <ol aria-label="Step executions" onKeyDown={moveFocus} onMouseLeave={() => setShown(undefined)}>
        {rows.map((row, index) => (
          <WaterfallBar
            key={row.id}
            row={row}
            scale={scale}
            end={row.endedAt ?? to}
            isFirst={index === 0}
            isMarked={row.stepId === search.step}
            onShow={setShown}
            onSelect={select}
          />
        ))}
      </ol>
      <ul aria-label="Steps without a time" className="pt-1">
        {timeless.map((step) => (
          <li key={step.id}>
            <button
              type="button"
              onClick={() => select(step.stepId)}
              className={cx(
                "flex w-full justify-between gap-3 rounded py-0.5 text-left text-xs",
                step.stepId === search.step ? "bg-accent-soft" : "hover:bg-sunken",
              )}
            >
              <span className="text-muted truncate">{stepName(definition, step.stepId)}</span>
              <span className="text-muted whitespace-nowrap">{standingOf(step, []).word}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}

const BROKEN = [
  { kind: "broken", words: "attempt failed" },
  { kind: "lost", words: "worker lost" },
] as const

/** Only of what there is. */
function Legend({ rows }: { readonly rows: readonly WaterfallRow[] }) {
  const isLost = new Set(rows.flatMap(({ breaks }) => breaks.map((one) => one.isLost)))
  return (
    <p className="text-muted flex gap-3 text-xs">
      {BROKEN.filter(({ kind }) => isLost.has(kind === "lost")).map(({ kind, words }) => (
        <span key={kind} className="flex items-center gap-1.5 whitespace-nowrap">
          <span aria-hidden="true" className={cx("h-3 w-5 rounded-[2px]", PIECES[kind])} />
          {words}
        </span>
      ))}
    </p>
  )
}

function Axis({ scale: { ticks } }: { readonly scale: TimeScale }) {
  // On a narrow screen there is room for three labels.
  const isMain = (index: number) => [0, Math.floor((ticks.length - 1) / 2), ticks.length - 1].includes(index)
  return (
    <div className={GRID} aria-hidden="true">
      <div />
      <div className="text-muted relative h-5 text-xs">
        {ticks.map(({ at, label }, index) => (
          <span
            key={at}
            className={cx("absolute whitespace-nowrap", !isMain(index) && "max-sm:hidden")}
            style={at > 0.9 ? { right: 0 } : { left: `${at * 100}%` }}
          >
            {label}
          </span>
        ))}
      </div>
    </div>
  )
}

/** One stop for the Tab key; the arrows go from bar to bar. */
function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const bars = [...event.currentTarget.querySelectorAll<HTMLElement>("button")]
  const at = bars.indexOf(document.activeElement as HTMLElement)
  const to = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: bars.length - 1 }[event.key]
  if (to === undefined || at < 0) return
  event.preventDefault()
  bars[Math.min(bars.length - 1, Math.max(0, to))]?.focus()
}
