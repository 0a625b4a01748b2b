// The screen of an instance that is there: its parts, what is selected, and which dialog is open.
import { useQuery } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useCallback, useMemo, useState } from "react"
import { definitionQuery } from "../../api/definitions.ts"
import { type RunSteps, stepsQuery, type WaitingReason, waitingQuery } from "../../api/instance.ts"
import { type Instance, isLive } from "../../api/instances.ts"
import { useWatchedInstance } from "../../api/live.ts"
import { useMay } from "../../api/session.ts"
import { useKeys } from "../../kit/keys.ts"
import { ErrorNote, Loading } from "../../kit/states.tsx"
import { type Ask, DialogOf, type Doing } from "./dialogs/dialogs.tsx"
import { drawnDefinition } from "./drawn-definition.ts"
import { FailureNote } from "./failure-note.tsx"
import { InstanceHead } from "./instance-head.tsx"
import { InstancePanels } from "./panels/panels.tsx"
import { possibleActions } from "./possible-actions.ts"
import type { InstanceSearch } from "./search.ts"
import { StepsCard } from "./steps-card.tsx"
import { WaitingCard } from "./waiting-card.tsx"

const NO_STEPS: RunSteps = { form: "graph", currentSteps: [], items: [] }
const NO_REASONS: readonly WaitingReason[] = []

export function InstanceView({ instance }: { readonly instance: Instance }) {
  const { id } = instance
  useWatchedInstance(id)
  const live = isLive(instance)
  const definition = useQuery(definitionQuery(instance.definitionId, instance.definitionVersion))
  const told = useQuery({ ...stepsQuery(id), meta: { live } })
  // A worker that takes a job is no change of the instance: it shows here alone.
  const waiting = useQuery({ ...waitingQuery(id), enabled: live, meta: { live } })
  const run = told.data ?? NO_STEPS
  const steps = run.items
  const reasons = live ? (waiting.data ?? NO_REASONS) : NO_REASONS
  const drawn = useMemo(() => definition.data && drawnDefinition(definition.data, run), [definition.data, run])
  const actions = useAllowed(possibleActions(instance, steps, reasons))
  const [doing, setDoing] = useState<Doing>()
  const { selected, change } = useAddress()
  const ask: Ask = (kind, stepId) => setDoing({ kind, stepId: stepId ?? preferred(actions, kind, selected.step) })
  useActionKeys(actions, ask)
  return (
    <InstanceHead instance={instance} name={drawn?.name} reasons={reasons} actions={actions} ask={ask}>
      <FailureNote instance={instance} definition={drawn} steps={steps} actions={actions} ask={ask} />
      {live && drawn && (
        <WaitingCard query={waiting} definition={drawn} actions={actions} ask={ask} onStep={change.step} />
      )}
      <ErrorNote error={definition.error ?? told.error} />
      {drawn && told.data ? (
        <>
          <StepsCard
            instance={instance}
            definition={drawn}
            form={run.form}
            history={steps}
            reasons={reasons}
            search={selected}
            change={change.rest}
            actions={actions}
            ask={ask}
          />
          <InstancePanels
            instance={instance}
            definition={drawn}
            history={steps}
            reasons={reasons}
            search={selected}
            change={change.rest}
          />
        </>
      ) : (
        !definition.error && !told.error && <Loading />
      )}
      {doing && drawn && (
        <DialogOf
          doing={doing}
          instance={instance}
          definition={drawn}
          actions={actions}
          onStep={(stepId) => setDoing({ ...doing, stepId })}
          onClose={() => setDoing(undefined)}
        />
      )}
    </InstanceHead>
  )
}

type Actions = ReturnType<typeof possibleActions>

/** What the key may not do is not offered. */
function useAllowed(actions: Actions): Actions {
  const mayChange = useMay("instances:write")
  const mayComplete = useMay("tasks:write")
  return {
    retry: mayChange ? actions.retry : [],
    signal: mayChange ? actions.signal : [],
    task: mayComplete ? actions.task : [],
    cancel: mayChange && actions.cancel,
    restart: mayChange && actions.restart,
  }
}

/** The step that is looked at, if it can be done there; else the first. */
function preferred(actions: Actions, kind: Doing["kind"], selected: string | undefined): string | undefined {
  const steps = kind === "cancel" || kind === "restart" ? [] : actions[kind]
  return steps.find((stepId) => stepId === selected) ?? steps[0]
}

function useActionKeys(actions: Actions, ask: Ask): void {
  useKeys({
    ...(actions.retry.length > 0 ? { r: () => ask("retry") } : {}),
    ...(actions.signal.length > 0 ? { s: () => ask("signal") } : {}),
    ...(actions.task.length > 0 ? { t: () => ask("task") } : {}),
    ...(actions.cancel ? { c: () => ask("cancel") } : {}),
  })
}

function useAddress() {
  const selected = useSearch({ from: "/instances/$instanceId" })
  const navigate = useNavigate({ from: "/instances/$instanceId" })
  const rest = useCallback(
    (changed: InstanceSearch) =>
      void navigate({ search: (search) => ({ ...search, ...changed }), replace: true, resetScroll: false }),
    [navigate],
  )
  const step = useCallback((stepId: string | undefined) => rest({ step: stepId }), [rest])
  return { selected, change: useMemo(() => ({ step, rest }), [step, rest]) }
}
