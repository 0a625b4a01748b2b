// Why an instance is waiting: each reason in words, since when, and the action that ends it right there.

import type { UseQueryResult } from "@tanstack/react-query"
import type { Definition } from "../../api/definitions.ts"
import type { WaitingReason } from "../../api/instance.ts"
import { Button, LinkButton } from "../../kit/button.tsx"
import { cx } from "../../kit/classes.ts"
import { CutName, Words } from "../../kit/cut-text.tsx"
import { Card } from "../../kit/page.tsx"
import { Loaded } from "../../kit/states.tsx"
import { Badge } from "../../kit/status.tsx"
import { durationText, fullTime, useNow } from "../../kit/time.tsx"
import { standingOfKind, stepOf, wordsOf } from "../../kit/waiting.ts"
import { ConnectWorker } from "../workers/connect-worker.tsx"
import type { Ask } from "./dialogs/dialogs.tsx"
import { stepName } from "./drawn-definition.ts"
import { type PossibleActions, signalsOf } from "./possible-actions.ts"

interface Props {
  readonly definition: Definition
  readonly actions: PossibleActions
  readonly ask: Ask
  readonly onStep: (stepId: string | undefined) => void
}

export function WaitingCard({ query, ...props }: Props & { readonly query: UseQueryResult<readonly WaitingReason[]> }) {
  const reasons = query.data ?? []
  const isAtWork = reasons.length > 0 && reasons.every(({ kind }) => kind === "job-leased" || kind === "timer")
  return (
    <Card title={isAtWork ? "What it is doing" : "Why is it waiting?"} flush>
      <Loaded query={query}>{(reasons) => <Reasons reasons={reasons} {...props} />}</Loaded>
    </Card>
  )
}

function Reasons({ reasons, ...props }: Props & { readonly reasons: readonly WaitingReason[] }) {
  if (reasons.length === 0)
    return <p className="text-muted px-4 pb-3">Nothing holds it up just now: it is on its way to the next step.</p>
  // What a timer will do comes after what ends the wait.
  const sorted = [...reasons].sort((a, b) => Number(a.kind === "timer") - Number(b.kind === "timer"))
  return (
    <ul className="max-h-80 overflow-y-auto has-[details[open]]:max-h-none">
      {sorted.map((reason) => (
        <Reason
          key={`${reason.kind} ${stepOf(reason)} ${String(reason.detail.timer)} ${reason.since}`}
          reason={reason}
          {...props}
        />
      ))}
    </ul>
  )
}

function Reason({ reason, ...props }: Props & { readonly reason: WaitingReason }) {
  const now = useNow()
  const { headline, more, isStuck } = wordsOf(reason, now, (id) => stepName(props.definition, id))
  const { word, tone } = standingOfKind(reason.kind)
  const stepId = stepOf(reason)
  const isAside = reason.kind === "timer"
  return (
    <li className="border-line flex flex-wrap items-center justify-between gap-x-6 gap-y-2 border-t px-4 py-2.5">
      <div className="min-w-0 flex-1 basis-72">
        <p className="text-muted flex flex-wrap items-baseline gap-x-2 text-xs">
          <Badge tone={tone}>{word}</Badge>
          {stepId !== undefined && <CutName text={stepName(props.definition, stepId)} />}
        </p>
        <p className={isAside ? "text-muted" : "font-medium"}>
          <Words text={headline} />
        </p>
        <p className={cx("text-xs", isStuck ? "text-warn" : "text-muted")}>
          {more && (
            <span>
              <Words text={more} />{" "}
            </span>
          )}
          {!isAside && (
            <span className="text-muted" title={fullTime(reason.since)}>
              Open for {durationText(now - Date.parse(reason.since))}.
            </span>
          )}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        <WayOut reason={reason} {...props} />
        {stepId !== undefined && !isAside && (
          <Button look="quiet" onClick={() => props.onStep(stepId)}>
            Show the step
          </Button>
        )}
      </div>
      {isStuck && reason.kind === "job-queued" && (
        <div className="min-w-0 basis-full text-xs">
          <ConnectWorker jobType={String(reason.detail.jobType)} />
        </div>
      )}
    </li>
  )
}

/** The action that ends the wait. */
function WayOut({ reason, actions, ask }: Props & { readonly reason: WaitingReason }) {
  const {
    kind,
    stepId,
    detail: { childId },
  } = reason
  if (kind === "user-task" && actions.task.includes(stepId ?? ""))
    return (
      <Button look="primary" title="Complete the user task (t)" onClick={() => ask("task", stepId)}>
        Complete the task…
      </Button>
    )
  const signal = kind === "signal" ? signalsOf(reason).find((name) => actions.signal.includes(name)) : undefined
  if (signal !== undefined)
    return (
      <Button look="primary" title="Send the signal (s)" onClick={() => ask("signal", signal)}>
        Send the signal…
      </Button>
    )
  if (typeof childId === "string")
    return (
      <LinkButton to="/instances/$instanceId" params={{ instanceId: childId }}>
        Open the child
      </LinkButton>
    )
  if (kind === "paused" || kind === "pace") return <LinkButton to="/queues">Open Queues</LinkButton>
  if (kind === "job-queued" || kind === "job-leased") return <LinkButton to="/workers">Open Workers</LinkButton>
  return null
}
