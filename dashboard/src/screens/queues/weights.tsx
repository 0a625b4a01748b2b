// How the priorities share the claims: three sliders that must add up to 100. Moving one moves no other.
import { useMutation, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { PRIORITIES, type Priority } from "../../api/overview.ts"
import { refreshQueues } from "../../api/query-client.ts"
import { useMay } from "../../api/session.ts"
import { setWeights, type Weights, type WeightsInForce, weightsQuery } from "../../api/weights.ts"
import { Button } from "../../kit/button.tsx"
import { cx } from "../../kit/classes.ts"
import { Card } from "../../kit/page.tsx"
import { ErrorNote, Loaded } from "../../kit/states.tsx"
import { say } from "../../kit/toast.tsx"
import { Changed } from "./changed.tsx"
import { ResetWeights } from "./reset.tsx"
import { ShareField } from "./share-field.tsx"

export function WeightsCard() {
  const query = useQuery(weightsQuery)
  return (
    <Card title="Weights">
      <Loaded query={query}>{(weights) => <WeightsForm inForce={weights} />}</Loaded>
    </Card>
  )
}

function WeightsForm({ inForce }: { readonly inForce: WeightsInForce }) {
  const [draft, setDraft] = useState<Weights | undefined>()
  const [isResetting, setIsResetting] = useState(false)
  const may = useMay("queues:write")
  const save = useMutation({
    mutationFn: setWeights,
    onSuccess: async () => {
      await refreshQueues()
      setDraft(undefined)
      say("Saved the weights. They hold from the next claim on.")
    },
  })
  const shown = draft ?? inForce
  const sum = PRIORITIES.reduce((total, one) => total + shown[one], 0)
  const isNew = PRIORITIES.some((one) => shown[one] !== inForce[one])
  const change = (priority: Priority, value: number) =>
    setDraft({ critical: shown.critical, high: shown.high, normal: shown.normal, [priority]: value })
  return (
    <>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (isNew && sum === 100) save.mutate(shown)
        }}
      >
        <p className="text-muted">
          Of 100 claims, this many go to each priority while all have jobs. One with 0 is served when the others are
          empty.
        </p>
        {PRIORITIES.map((one) => (
          <ShareField key={one} priority={one} value={shown[one]} disabled={!may} onChange={(n) => change(one, n)} />
        ))}
        <SharesBar weights={shown} />
        <ErrorNote error={save.error} />
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p role="status" className={cx("font-medium", sum !== 100 && "text-bad")}>
            Sum {sum}
            {sum !== 100 && ` – ${sum < 100 ? `${100 - sum} left to give` : `${sum - 100} too many`}`}
          </p>
          {may && (
            <div className="flex flex-wrap gap-2">
              {isNew && (
                <Button look="quiet" onClick={() => setDraft(undefined)}>
                  Discard
                </Button>
              )}
              <Button disabled={inForce.source === "config"} onClick={() => setIsResetting(true)}>
                Reset to defaults
              </Button>
              <Button type="submit" look="primary" busy={save.isPending} disabled={!isNew || sum !== 100}>
                Save weights
              </Button>
            </div>
          )}
        </div>
        <Changed
          at={inForce.changed_at}
          by={inForce.changed_by}
          verb={inForce.source === "config" ? "Reset" : "Changed"}
          otherwise={inForce.source === "config" ? "As configured" : "Changed at run time"}
        />
      </form>
      {isResetting && <ResetWeights onDone={() => setDraft(undefined)} onClose={() => setIsResetting(false)} />}
    </>
  )
}

const FILLS: Readonly<Record<Priority, string>> = { critical: "bg-accent", high: "bg-info", normal: "bg-calm" }

function SharesBar({ weights }: { readonly weights: Weights }) {
  return (
    <div className="bg-calm-soft flex h-2 gap-px overflow-hidden rounded-full" aria-hidden="true">
      {PRIORITIES.map((one) => (
        <div key={one} className={FILLS[one]} style={{ width: `${weights[one]}%` }} />
      ))}
    </div>
  )
}
