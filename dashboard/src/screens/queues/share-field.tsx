// The share of one priority: a slider for the hand, a number for the exact.
import { useId } from "react"
import type { Priority } from "../../api/overview.ts"

interface Props {
  readonly priority: Priority
  readonly value: number
  readonly disabled: boolean
  readonly onChange: (value: number) => void
}

export function ShareField({ priority, value, disabled, onChange }: Props) {
  const id = useId()
  const take = (text: string) => onChange(Math.min(100, Math.max(0, Math.round(Number(text)) || 0)))
  return (
    <div className="grid grid-cols-[4rem_minmax(0,1fr)_4.5rem] items-center gap-3">
      <label htmlFor={id} className="font-medium">
        {priority}
      </label>
      <input
        type="range"
        aria-label={`Share of ${priority}, slider`}
        min={0}
        max={100}
        value={value}
        disabled={disabled}
        onChange={(event) => take(event.target.value)}
        className="w-full min-w-0"
      />
      <input
        id={id}
        type="number"
        min={0}
        max={100}
        step={1}
        required
        value={value}
        disabled={disabled}
        onChange={(event) => take(event.target.value)}
        className="border-line bg-surface w-full rounded-md border px-2 py-1 text-right"
      />
    </div>
  )
}
