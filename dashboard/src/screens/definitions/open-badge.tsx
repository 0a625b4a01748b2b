// How many steps are open, and how many of them for long.
import { count } from "../../kit/numbers.ts"
import { Badge } from "../../kit/status.tsx"
import { type OpenSteps, olderText } from "./open-steps.ts"

export function OpenBadges({ of: { open, older } }: { readonly of: OpenSteps }) {
  if (open === 0) return <span className="text-muted">–</span>
  return (
    <span className="inline-flex gap-1">
      <Badge tone="info">{count(open)} open</Badge>
      {older > 0 && <Badge tone="warn">{olderText(older)}</Badge>}
    </span>
  )
}
