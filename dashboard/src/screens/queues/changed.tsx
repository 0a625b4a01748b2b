// Who changed a setting, and when; or that it is the configuration's.
import { CutName } from "../../kit/cut-text.tsx"
import { Ago } from "../../kit/time.tsx"

interface Props {
  readonly at: string | undefined
  readonly by: string | undefined
  /** Said where it was never changed, or where it is no longer known who changed it. */
  readonly otherwise: string
  readonly verb?: string
}

export function Changed({ at, by, otherwise, verb = "Changed" }: Props) {
  if (at === undefined) return <span className="text-muted text-xs">{otherwise}</span>
  return (
    <span className="text-muted text-xs">
      {verb} by <CutName text={by ?? "–"} className="text-text" /> <Ago at={at} />
    </span>
  )
}
