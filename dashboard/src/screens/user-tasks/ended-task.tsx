// A task that is open no longer: who ended it or why, and what was typed into its form meanwhile, which was not taken.
import { useQuery } from "@tanstack/react-query"
import { auditLinesQuery } from "../../api/audit.ts"
import type { UserTask } from "../../api/user-tasks.ts"
import { Words } from "../../kit/cut-text.tsx"
import { Json } from "../../kit/json.tsx"
import { Ago } from "../../kit/time.tsx"
import { ENDINGS, whyCancelled } from "./why-cancelled.ts"

/** What was typed and did not complete the task. */
export interface Unused {
  readonly values: Readonly<Record<string, unknown>>
  /** The answer to it was lost: the task may have been completed with it. */
  readonly isUnsure: boolean
}

export function EndedTask({ task, unused }: { readonly task: UserTask; readonly unused: Unused | undefined }) {
  const isCancelled = task.status === "CANCELLED"
  // Where the key may not read the trail, the reason stays unsaid.
  const { data: lines = [] } = useQuery({ ...auditLinesQuery(task.instanceId, ENDINGS), enabled: isCancelled })
  const why = isCancelled ? whyCancelled(task, lines) : undefined
  return (
    <div className="flex min-w-0 flex-col gap-4">
      {unused && <NotTaken {...unused} />}
      <p className="text-muted">
        {isCancelled ? "Cancelled" : "Completed"} <Ago at={task.completedAt} />
        {task.completedBy && ` by ${task.completedBy}`}
        {why === undefined ? "." : ": "}
        {why !== undefined && <Words text={`${why}.`} />}
      </p>
    </div>
  )
}

function NotTaken({ values, isUnsure }: Unused) {
  return (
    <div role="alert" className="border-bad bg-bad-soft flex min-w-0 flex-col gap-2 rounded-md border px-3 py-2">
      <p className="text-bad">
        {isUnsure
          ? "The answer of the engine was lost. Whether your input was taken can be seen in the instance."
          : "Your input was not taken: the task had ended before."}
      </p>
      <Json value={values} label="your input" />
    </div>
  )
}
