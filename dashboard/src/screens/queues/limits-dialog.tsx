// The limits of a downstream: what it can take. What is left empty is not limited.
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import { isRoutingName, ROUTING_NAME_HINT } from "../../../../engine/src/model/jobs/routing-name.ts"
import { type Downstream, type DownstreamLimits, setDownstream } from "../../api/downstreams.ts"
import { refreshQueues } from "../../api/query-client.ts"
import { ActionDialog } from "../../kit/dialog.tsx"
import { CheckField, TextField } from "../../kit/fields/fields.tsx"
import { say } from "../../kit/toast.tsx"

interface Props {
  /** Undefined for one that is named here. */
  readonly downstream: Downstream | undefined
  readonly onClose: () => void
}

const asText = (value: number | undefined): string => (value === undefined ? "" : String(value))

export function LimitsDialog({ downstream, onClose }: Props) {
  const [name, setName] = useState(downstream?.name ?? "")
  const [perSecond, setPerSecond] = useState(asText(downstream?.perSecond))
  const [concurrency, setConcurrency] = useState(asText(downstream?.concurrency))
  const [adaptive, setAdaptive] = useState(downstream?.adaptive ?? true)
  const limits: DownstreamLimits = {
    ...(perSecond === "" ? {} : { perSecond: Number(perSecond) }),
    ...(concurrency === "" ? {} : { concurrency: Number(concurrency) }),
    adaptive,
  }
  const act = useMutation({
    mutationFn: () => setDownstream(name.trim(), limits),
    onSuccess: async () => {
      await refreshQueues()
      onClose()
      say(`Saved the limits of ${name.trim()}.`)
    },
  })
  const isNamed = isRoutingName(name.trim())
  return (
    <ActionDialog
      title={downstream ? `Limits of ${downstream.name}` : "Limit a downstream"}
      verb="Save limits"
      busy={act.isPending}
      error={act.error}
      disabled={!isNamed || (perSecond === "" && concurrency === "")}
      onConfirm={() => act.mutate()}
      onClose={onClose}
    >
      {!downstream && (
        <TextField
          label="Name"
          required
          autoComplete="off"
          hint="As jobs name it, such as mail."
          error={name === "" || isNamed ? undefined : ROUTING_NAME_HINT}
          value={name}
          onChange={(event) => setName(event.target.value)}
        />
      )}
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Per second"
          type="number"
          min={0.001}
          max={1_000_000}
          step="any"
          hint="Jobs handed out each second, over all workers."
          value={perSecond}
          onChange={(event) => setPerSecond(event.target.value)}
        />
        <TextField
          label="At once"
          type="number"
          min={1}
          max={1_000_000}
          step={1}
          hint="Jobs in flight at the same time."
          value={concurrency}
          onChange={(event) => setConcurrency(event.target.value)}
        />
      </div>
      <CheckField
        label="Adaptive: slow down when it pushes back (429 or 503), recover step by step"
        checked={adaptive}
        onChange={(event) => setAdaptive(event.target.checked)}
      />
      <p className="text-muted">What is left empty is not limited. The limits hold from the next claim on.</p>
    </ActionDialog>
  )
}
