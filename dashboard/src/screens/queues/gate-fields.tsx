// The two marks of one gate, what is wrong with them, and who chose them.
import { useId } from "react"
import type { GateName, WatermarksInForce } from "../../api/watermarks.ts"
import { count } from "../../kit/numbers.ts"
import { Changed } from "./changed.tsx"
import { faultsOf, type TypedMark } from "./marks.ts"

interface Props {
  readonly name: GateName
  readonly typed: TypedMark
  readonly inForce: WatermarksInForce[GateName]
  readonly depth: number | undefined
  readonly disabled: boolean
  readonly onChange: (mark: TypedMark) => void
}

export function GateFields({ name, typed, inForce, depth, disabled, onChange }: Props) {
  const faults = faultsOf(typed)
  const noteId = useId()
  const fault = faults.high ? `High: ${faults.high}.` : faults.low ? `Low: ${faults.low}.` : undefined
  const box = (mark: "low" | "high") => (
    <label className="text-muted flex items-center gap-1.5 text-xs">
      {mark}
      <input
        type="text"
        inputMode="numeric"
        aria-label={`${mark === "low" ? "Low" : "High"} mark of ${name}`}
        aria-invalid={faults[mark] !== undefined}
        aria-describedby={noteId}
        value={typed[mark]}
        disabled={disabled}
        onChange={(event) => onChange({ ...typed, [mark]: event.target.value })}
        className="border-line bg-surface text-text aria-invalid:border-bad w-full min-w-0 rounded-md border px-2 py-1 text-right text-sm sm:w-24"
      />
    </label>
  )
  return (
    <fieldset className="border-line grid min-w-0 grid-cols-2 items-center gap-x-3 gap-y-1 border-t pt-2 sm:grid-cols-[1fr_auto_auto]">
      <legend className="sr-only">{name}</legend>
      <div className="col-span-2 flex min-w-0 flex-wrap items-baseline gap-x-2 sm:col-span-1 sm:flex-col sm:gap-0">
        <span className="font-medium">{name}</span>
        <Changed
          at={inForce.changed_at}
          by={inForce.changed_by}
          verb={inForce.source === "config" ? "Reset" : "Changed"}
          otherwise={inForce.source === "config" ? "As configured" : "Changed at run time"}
        />
      </div>
      {box("low")}
      {box("high")}
      <p id={noteId} className="text-bad col-span-full text-xs empty:hidden">
        {fault ?? shutsAtOnce(typed, depth)}
      </p>
    </fieldset>
  )
}

/** Said before it is saved, so that no gate is shut by a slip of the finger. */
const shutsAtOnce = ({ high }: TypedMark, depth = 0): string | undefined =>
  depth > 0 && Number(high) <= depth ? `Shut at this mark: ${count(depth)} jobs are there already.` : undefined
