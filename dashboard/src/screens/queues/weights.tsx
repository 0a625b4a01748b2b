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

/** What a person is about to save, and what the weights were when that began. */
interface Draft extends Weights {
  readonly version: string
}

function WeightsForm({ inForce }: { readonly inForce: WeightsInForce }) {
  const [draft, setDraft] = useState<Draft | undefined>()
  const [isResetting, setIsResetting] = useState(false)
  const may = useMay("queues:write")
  const save = useMutation({
    mutationFn: (weights: Draft) => setWeights(weights, weights.version),
    onSuccess: async () => {
      await refreshQueues()
      setDraft(undefined)
      say("Saved the weights. They hold from the next claim on.")
    },
    onError: () => refreshQueues(),
  })
  const shown = draft ?? inForce
  const isOvertaken = draft !== undefined && draft.version !== (inForce.version ?? "")
  const discard = () => {
    setDraft(undefined)
    save.reset()
  }
  const sum = PRIORITIES.reduce((total, one) => total + shown[one], 0)
  const isNew = PRIORITIES.some((one) => shown[one] !== inForce[one])
  const change = (priority: Priority, value: number) =>
    setDraft({
      critical: shown.critical,
      high: shown.high,
      normal: shown.normal,
      version: shown.version ?? "",
      [priority]: value,
    })
  return (
    <>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (draft && isNew && sum === 100 && !isOvertaken) save.mutate(draft)
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
        {isOvertaken ? (
          <Overtaken inForce={inForce} onKeep={() => setDraft({ ...draft, version: inForce.version ?? "" })} />
        ) : (
          <ErrorNote error={save.error} />
        )}
        <div className="flex flex-wrap items-center justify-between gap-2">
          <p role="status" className={cx("font-medium", sum !== 100 && "text-bad")}>
            Sum {sum}
            {sum !== 100 && ` – ${sum < 100 ? `${100 - sum} left to give` : `${sum - 100} too many`}`}
          </p>
          {may && (
            <div className="flex flex-wrap gap-2">
              {isNew && (
                <Button look="quiet" onClick={discard}>
                  Discard
                </Button>
              )}
              <Button disabled={inForce.source === "config"} onClick={() => setIsResetting(true)}>
                Reset to defaults
              </Button>
              <Button
                type="submit"
                look="primary"
                busy={save.isPending}
                disabled={!isNew || sum !== 100 || isOvertaken}
              >
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

interface OvertakenProps {
  readonly inForce: WeightsInForce
  readonly onKeep: () => void
}

/** Another operator was faster: nothing is overwritten without a word. */
const Overtaken = ({ inForce, onKeep }: OvertakenProps) => (
  <div role="alert" className="border-warn bg-warn-soft flex flex-col gap-2 rounded-md border px-3 py-2">
    <p>
      The weights were changed{inForce.changed_by ? ` by ${inForce.changed_by}` : ""} while you edited them: critical{" "}
      {inForce.critical}, high {inForce.high}, normal {inForce.normal} hold now. Discard your changes, or keep them and
      save them in place of these.
    </p>
    <p>
      <Button onClick={onKeep}>Keep mine</Button>
    </p>
  </div>
)

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
