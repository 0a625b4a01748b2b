// Where each gate shuts and where it opens again; only the gates that were changed are sent.
import { useMutation, useQuery } from "@tanstack/react-query"
import { useState } from "react"
import { useOverview } from "../../api/live.ts"
import { refreshQueues } from "../../api/query-client.ts"
import { useMay } from "../../api/session.ts"
import { GATES, type GateName, setWatermarks, type WatermarksInForce, watermarksQuery } from "../../api/watermarks.ts"
import { Button } from "../../kit/button.tsx"
import { Card } from "../../kit/page.tsx"
import { ErrorNote, Loaded } from "../../kit/states.tsx"
import { say } from "../../kit/toast.tsx"
import { GateFields } from "./gate-fields.tsx"
import { faultsOf, newMarks, type TypedMark, type TypedMarks, typedOf } from "./marks.ts"
import { ResetWatermarks } from "./reset.tsx"

export function WatermarksCard() {
  const query = useQuery(watermarksQuery)
  return (
    <Card title="Watermarks">
      <Loaded query={query}>{(marks) => <WatermarksForm inForce={marks} />}</Loaded>
    </Card>
  )
}

function useDepths(): Readonly<Partial<Record<GateName, number>>> {
  const overview = useOverview()
  if (!overview) return {}
  return { ...Object.fromEntries(overview.lanes.map(({ name, depth }) => [name, depth])), total: overview.total.depth }
}

function WatermarksForm({ inForce }: { readonly inForce: WatermarksInForce }) {
  const [draft, setDraft] = useState<TypedMarks | undefined>()
  const [isResetting, setIsResetting] = useState(false)
  const depths = useDepths()
  const may = useMay("queues:write")
  const save = useMutation({
    mutationFn: setWatermarks,
    onSuccess: async () => {
      await refreshQueues()
      setDraft(undefined)
      say("Saved the watermarks. They hold from now on.")
    },
  })
  const typed = draft ?? typedOf(inForce)
  const changed = newMarks(typed, inForce)
  const isNew = Object.keys(changed).length > 0
  const isSound = GATES.every((name) => Object.keys(faultsOf(typed[name])).length === 0)
  const change = (name: GateName, mark: TypedMark) => setDraft({ ...typed, [name]: mark })
  return (
    <>
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (isNew && isSound) save.mutate(changed)
        }}
      >
        <p className="text-muted">
          At its high mark a gate shuts and new jobs are refused; below its low mark it opens again. The total counts
          all priorities.
        </p>
        {GATES.map((name) => (
          <GateFields
            key={name}
            name={name}
            typed={typed[name]}
            inForce={inForce[name]}
            depth={depths[name]}
            disabled={!may}
            onChange={(mark) => change(name, mark)}
          />
        ))}
        <ErrorNote error={save.error} />
        {may && (
          <div className="flex flex-wrap justify-end gap-2">
            {draft && (
              <Button look="quiet" onClick={() => setDraft(undefined)}>
                Discard
              </Button>
            )}
            <Button
              disabled={GATES.every((name) => inForce[name].source === "config")}
              onClick={() => setIsResetting(true)}
            >
              Reset to defaults
            </Button>
            <Button type="submit" look="primary" busy={save.isPending} disabled={!isNew || !isSound}>
              Save watermarks
            </Button>
          </div>
        )}
      </form>
      {isResetting && <ResetWatermarks onDone={() => setDraft(undefined)} onClose={() => setIsResetting(false)} />}
    </>
  )
}
