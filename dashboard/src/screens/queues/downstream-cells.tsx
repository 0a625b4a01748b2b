// The cells of a downstream that are more than a number: its pace, how it stands, and what can be done with it.
import type { Downstream } from "../../api/downstreams.ts"
import type { Pause } from "../../api/pauses.ts"
import { Button } from "../../kit/button.tsx"
import { rate } from "../../kit/numbers.ts"
import { Badge } from "../../kit/status.tsx"
import { Ago } from "../../kit/time.tsx"

/** What a row has beside its downstream: how many it was given a second, and whether it is paused. */
export interface Row extends Downstream {
  readonly startedPerSecond: number | undefined
  readonly pause: Pause | undefined
}

export interface Asked {
  readonly what: "limits" | "remove" | "pause"
  readonly row?: Row
}

export const hasLimits = ({ perSecond, concurrency }: Downstream): boolean =>
  perSecond !== undefined || concurrency !== undefined

export function Pace({ row: { startedPerSecond = 0, perSecond, effectivePerSecond } }: { readonly row: Row }) {
  const isSlowed = effectivePerSecond !== undefined && effectivePerSecond !== perSecond
  return (
    <>
      {perSecond === undefined ? (
        <span className="text-muted">no limit</span>
      ) : (
        `${rate(startedPerSecond)} of ${perSecond}`
      )}
      {isSlowed && <span className="text-warn block text-xs">slowed to {rate(effectivePerSecond)}</span>}
    </>
  )
}

export function Standing({ row: { adaptive, closedUntil, pause } }: { readonly row: Row }) {
  return (
    <span className="flex flex-wrap gap-1">
      {adaptive && <Badge>adaptive</Badge>}
      {pause && <Badge tone="warn">paused by {pause.pausedBy}</Badge>}
      {closedUntil !== undefined && (
        <Badge tone="bad">
          pushed back, opens <Ago at={closedUntil} />
        </Badge>
      )}
    </span>
  )
}

export function Actions({ row, onAsk }: { readonly row: Row; readonly onAsk: (asked: Asked) => void }) {
  const of = (verb: string) => `${verb} ${row.name}`
  return (
    <span className="flex justify-end gap-1.5">
      <Button className="py-1" aria-label={of("Change limits of")} onClick={() => onAsk({ what: "limits", row })}>
        Limits
      </Button>
      <Button
        className="py-1"
        aria-label={of(row.pause ? "Resume downstream" : "Pause downstream")}
        onClick={() => onAsk({ what: "pause", row })}
      >
        {row.pause ? "Resume" : "Pause"}
      </Button>
      {hasLimits(row) && (
        <Button
          className="py-1"
          look="quiet"
          aria-label={of("Remove limits of")}
          onClick={() => onAsk({ what: "remove", row })}
        >
          Remove
        </Button>
      )}
    </span>
  )
}
