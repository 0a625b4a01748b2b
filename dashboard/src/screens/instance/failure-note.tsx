// Why an instance ended before its time, and the way on from there.

import type { Definition } from "../../api/definitions.ts"
import type { StepExecution } from "../../api/instance.ts"
import type { Instance } from "../../api/instances.ts"
import { Button } from "../../kit/button.tsx"
import { cx } from "../../kit/classes.ts"
import { Words } from "../../kit/cut-text.tsx"
import type { Ask } from "./dialogs/dialogs.tsx"
import { stepName } from "./drawn-definition.ts"
import { Stack } from "./execution-view.tsx"
import type { PossibleActions } from "./possible-actions.ts"

interface Props {
  readonly instance: Instance
  readonly definition: Definition | undefined
  readonly steps: readonly StepExecution[]
  readonly actions: PossibleActions
  readonly ask: Ask
}

export function FailureNote({ instance, definition, steps, actions, ask }: Props) {
  const { status, failureReason = "No reason was given." } = instance
  if (status !== "FAILED" && status !== "CANCELLED") return null
  const isFailed = status === "FAILED"
  const failed = steps.filter(({ status, isTolerated }) => status === "FAILED" && !isTolerated)
  const last = failed.filter(({ endedAt }) => endedAt === instance.completedAt)
  const where = definition && last.map(({ stepId }) => `“${stepName(definition, stepId)}”`).join(", ")
  const stack = last.find((step) => step.stack !== undefined)?.stack
  return (
    <section
      aria-label={isFailed ? "Why it failed" : "Why it was cancelled"}
      className={cx(
        "flex flex-wrap items-start justify-between gap-x-6 gap-y-3 rounded-lg border px-4 py-3",
        isFailed ? "border-bad bg-bad-soft" : "border-line bg-calm-soft",
      )}
    >
      <div className="min-w-0 flex-1 basis-64">
        <h2 className={cx("font-semibold", isFailed ? "text-bad" : "text-calm")}>
          <Words text={isFailed ? `It failed${where ? ` at ${where}` : ""}` : "It was cancelled"} />
        </h2>
        <p className="mt-1 max-h-40 overflow-y-auto font-mono text-xs leading-5 whitespace-pre-wrap">{failureReason}</p>
        {isFailed && stack !== undefined && <Stack text={stack} of="the failure" />}
      </div>
      {actions.retry.length > 0 && (
        <Button look="primary" title="Retry the step that failed (r)" onClick={() => ask("retry")}>
          Retry…
        </Button>
      )}
    </section>
  )
}
