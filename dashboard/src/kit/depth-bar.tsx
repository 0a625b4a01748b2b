// How many jobs wait against their watermarks: a bar with a mark where its gate opens again and one where it shuts.
import type { Gate } from "../api/overview.ts"
import { cx } from "./classes.ts"
import { count } from "./numbers.ts"

/** Room above the high mark, so that the mark is seen. */
const ROOM = 1.08

export function DepthBar({ name, gate }: { readonly name: string; readonly gate: Gate }) {
  const { depth, lowWatermark: low, highWatermark: high, shut } = gate
  const scale = Math.max(high, depth) * ROOM
  const percent = (value: number): string => `${(value / scale) * 100}%`
  return (
    <div className="flex flex-col gap-1">
      {/* biome-ignore lint/a11y/useSemanticElements: a <meter> has no place for the marks. */}
      <div
        role="meter"
        aria-label={`Depth of ${name}`}
        aria-valuemin={0}
        aria-valuemax={Math.max(high, depth)}
        aria-valuenow={depth}
        aria-valuetext={`${count(depth)} jobs, ${marksText(gate)}`}
        className="bg-calm-soft relative h-2.5 rounded-full"
      >
        <div
          className={cx("h-full rounded-full motion-safe:transition-[width]", toneOfGate(gate))}
          style={{ width: percent(depth), minWidth: depth > 0 ? "0.4rem" : 0 }}
        />
        <Mark at={percent(low)} isLoud={shut} title={`opens again below ${count(low)}`} />
        <Mark at={percent(high)} isLoud={!shut} title={`shuts at ${count(high)}`} />
      </div>
      <p className="text-muted flex flex-wrap justify-between gap-x-3 text-xs tabular-nums">
        <span>
          <span className="text-text font-medium">{count(depth)}</span> {depth === 1 ? "job" : "jobs"}
        </span>
        <span>{marksText(gate)}</span>
      </p>
    </div>
  )
}

function Mark({ at, isLoud, title }: { readonly at: string; readonly isLoud: boolean; readonly title: string }) {
  return (
    <span
      title={title}
      className={cx("absolute -top-0.5 h-3.5 w-0.5 rounded", "bg-text", !isLoud && "opacity-60")}
      style={{ left: at }}
    />
  )
}

const marksText = ({ lowWatermark, highWatermark }: Gate): string =>
  `shuts at ${count(highWatermark)}, opens below ${count(lowWatermark)}`

function toneOfGate({ depth, highWatermark, shut }: Gate): string {
  if (shut) return "bg-bad"
  return depth > highWatermark * 0.8 ? "bg-warn" : "bg-accent"
}

/** Said where a gate is shut. */
export const refusal = (name: string, { lowWatermark }: Gate): string =>
  `New ${name === "total" ? "" : `${name} `}jobs are refused until the depth is below ${count(lowWatermark)}.`
