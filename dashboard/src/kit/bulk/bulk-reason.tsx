// Why something is done to many: asked once, kept with each of them.
import { AreaField } from "../fields/fields.tsx"

const MAX_REASON = 2_000

export const ReasonField = ({
  value,
  onChange,
}: {
  readonly value: string
  readonly onChange: (reason: string) => void
}) => (
  <AreaField
    label="Reason"
    hint="Optional. It is kept with each of them, beside your name."
    rows={2}
    maxLength={MAX_REASON}
    value={value}
    onChange={(event) => onChange(event.target.value)}
  />
)
