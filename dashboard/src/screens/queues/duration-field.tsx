// A duration as people say it, a number and a unit; ISO-8601 for the engine.
import { formatDuration, parseIsoDuration } from "../../../../engine/src/model/kernel/durations.ts"
import { SelectField, TextField } from "../../kit/fields/fields.tsx"

const UNITS_MS = { seconds: 1_000, minutes: 60_000, hours: 3_600_000, days: 86_400_000 } as const
type Unit = keyof typeof UNITS_MS

/** The duration as it is typed. An empty amount means no duration. */
export interface TypedDuration {
  readonly amount: string
  readonly unit: Unit
}

export const NO_DURATION: TypedDuration = { amount: "", unit: "seconds" }

/** In the largest unit that leaves a whole number. */
export function typedDuration(iso: string | undefined): TypedDuration {
  const ms = iso === undefined ? undefined : parseIsoDuration(iso)
  if (ms === undefined) return NO_DURATION
  const unit = (Object.keys(UNITS_MS) as Unit[]).findLast((one) => ms % UNITS_MS[one] === 0) ?? "seconds"
  return { amount: String(ms / UNITS_MS[unit]), unit }
}

export const isoDuration = ({ amount, unit }: TypedDuration): string | undefined =>
  Number(amount) > 0 ? formatDuration(Math.round(Number(amount) * UNITS_MS[unit])) : undefined

interface Props {
  readonly label: string
  readonly hint: string
  readonly value: TypedDuration
  readonly onChange: (value: TypedDuration) => void
}

export function DurationField({ label, hint, value, onChange }: Props) {
  return (
    <div className="grid grid-cols-2 items-start gap-2">
      <TextField
        label={label}
        hint={hint}
        type="number"
        min={0}
        step="any"
        value={value.amount}
        onChange={(event) => onChange({ ...value, amount: event.target.value })}
      />
      <SelectField
        label="Unit"
        aria-label={`${label}, unit`}
        value={value.unit}
        onChange={(event) => onChange({ ...value, unit: event.target.value as Unit })}
      >
        {Object.keys(UNITS_MS).map((unit) => (
          <option key={unit}>{unit}</option>
        ))}
      </SelectField>
    </div>
  )
}
