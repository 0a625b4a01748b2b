// The columns of the instance list.
import { type Instance, isLive } from "../../api/instances.ts"
import { CutText } from "../../kit/cut-text.tsx"
import { InstanceHead, InstanceLink } from "../../kit/names/instance-cell.tsx"
import { keyOf } from "../../kit/names/instance-names.ts"
import { ROW_LINK } from "../../kit/row-keys.ts"
import { Status } from "../../kit/status.tsx"
import type { Column } from "../../kit/table.tsx"
import { Ago, durationText, useNow } from "../../kit/time.tsx"

export const nameOf = (instance: Instance): string => keyOf(instance) ?? instance.id

/** Without what is empty for all of a status: one that has ended is at no step, and one that lives has not failed. */
export const columnsOf = (status: Instance["status"] | undefined): readonly Column<Instance>[] => {
  if (status === undefined) return COLUMNS
  const empty = isLive({ status }) || status === "COMPLETED" ? "Failure reason" : "Current step"
  return COLUMNS.filter(({ name }) => name !== empty && !(status === "COMPLETED" && name === "Current step"))
}

const COLUMNS: readonly Column<Instance>[] = [
  { name: "Status", className: "min-w-24", cell: ({ status }) => <Status of={status} /> },
  {
    name: "Instance",
    head: <InstanceHead />,
    className: "max-w-56 min-w-32",
    cell: (instance) => <InstanceLink instance={instance} {...ROW_LINK} />,
  },
  { name: "Definition", className: "max-w-48 min-w-32", cell: (instance) => <DefinitionName instance={instance} /> },
  {
    name: "Current step",
    className: "max-w-44 min-w-28",
    cell: ({ currentStepIds }) => <Steps ids={currentStepIds} />,
  },
  { name: "Started", className: "min-w-24", cell: ({ startedAt }) => <Ago at={startedAt} /> },
  { name: "Duration", align: "right", className: "min-w-24", cell: (instance) => <Duration instance={instance} /> },
  {
    name: "Failure reason",
    className: "w-full max-w-0 min-w-44",
    cell: ({ failureReason, status }) =>
      failureReason && <CutText text={failureReason} className={status === "FAILED" ? "text-bad" : "text-muted"} />,
  },
]

const DefinitionName = ({ instance: { definitionId, definitionVersion } }: { readonly instance: Instance }) => (
  <span className="flex gap-1.5" title={`${definitionId}, version ${definitionVersion}`}>
    <span className="truncate">{definitionId}</span>
    <span className="text-muted whitespace-nowrap">v{definitionVersion}</span>
  </span>
)

function Steps({ ids }: { readonly ids: readonly string[] }) {
  const [first, ...more] = ids
  if (first === undefined) return <span className="text-muted">–</span>
  return (
    <span className="flex gap-1.5" title={ids.join("\n")}>
      <span className="truncate">{first}</span>
      {more.length > 0 && <span className="text-muted whitespace-nowrap">+{more.length}</span>}
    </span>
  )
}

function Duration({ instance }: { readonly instance: Instance }) {
  const started = Date.parse(instance.startedAt)
  if (isLive(instance)) return <SoFar startedAt={started} />
  const ms = Date.parse(instance.completedAt ?? instance.startedAt) - started
  return <span className="whitespace-nowrap">{durationText(ms)}</span>
}

/** The clock of the engine may be a little ahead of this one. */
const SoFar = ({ startedAt }: { readonly startedAt: number }) => (
  <span className="text-muted whitespace-nowrap">{durationText(Math.max(0, useNow() - startedAt))}</span>
)
