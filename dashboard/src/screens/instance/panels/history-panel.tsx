// The history as a table: each entry into a step, oldest first.
import { Link } from "@tanstack/react-router"
import type { Definition } from "../../../api/definitions.ts"
import type { StepExecution } from "../../../api/instance.ts"
import { kindWords, typeWords } from "../../../graph/step-type.tsx"
import { CutName, CutText } from "../../../kit/cut-text.tsx"
import { Empty } from "../../../kit/states.tsx"
import { Standing } from "../../../kit/status.tsx"
import { type Column, Table } from "../../../kit/table.tsx"
import { Ago, durationText, useNow } from "../../../kit/time.tsx"
import { stepName } from "../drawn-definition.ts"
import { attemptsOf, msOf, standingOf } from "../step-words.ts"
import type { PanelProps } from "./panel-props.ts"

export function HistoryPanel({ definition, history, reasons, search }: PanelProps) {
  if (history.length === 0)
    return <Empty title="No step has been entered yet.">Each entry into a step is a line here.</Empty>
  const columns: readonly Column<StepExecution>[] = [
    {
      name: "Step",
      cell: ({ stepId }) => (
        <Link to="." search={(search) => ({ ...search, step: stepId })} replace resetScroll={false}>
          <CutName text={stepName(definition, stepId)} className="max-w-56" />
        </Link>
      ),
    },
    {
      name: "Type",
      cell: (execution) => <span className="text-muted whitespace-nowrap">{kindOf(execution, definition)}</span>,
    },
    { name: "Execution", align: "right", cell: ({ attemptNumber }) => attemptNumber },
    { name: "Status", cell: (execution) => <HowItStands execution={execution} reasons={reasons} /> },
    { name: "Attempts", align: "right", cell: (execution) => attemptsOf(execution) ?? "–" },
    { name: "Started", cell: ({ startedAt }) => <Ago at={startedAt} /> },
    { name: "Took", align: "right", cell: (execution) => <Took execution={execution} /> },
    { name: "Worker", cell: ({ workerId }) => workerId && <CutName text={workerId} className="max-w-40" /> },
    {
      name: "Failure",
      cell: ({ failureReason }) => failureReason && <CutText text={failureReason} className="text-bad max-w-72" />,
    },
  ]
  return (
    <Table
      caption="History of the instance"
      columns={columns}
      rows={history}
      keyOf={({ id }) => id}
      isMarked={({ stepId }) => stepId === search.step}
    />
  )
}

function kindOf({ stepId, stepType }: StepExecution, { steps }: Definition): string {
  const step = steps.find(({ id, type }) => id === stepId && type === stepType)
  return step ? kindWords(step) : typeWords(stepType)
}

function HowItStands({ execution, reasons }: Pick<PanelProps, "reasons"> & { readonly execution: StepExecution }) {
  const { word, tone } = standingOf(execution, reasons)
  return <Standing tone={tone}>{word}</Standing>
}

/** The duration is unknown where the worker has not said when it began. */
function Took({ execution }: { readonly execution: StepExecution }) {
  if (execution.startedAt === undefined) return <span className="text-muted">–</span>
  return execution.endedAt === undefined ? <Growing execution={execution} /> : <Text ms={msOf(execution, 0)} />
}

const Growing = ({ execution }: { readonly execution: StepExecution }) => <Text ms={msOf(execution, useNow())} />

const Text = ({ ms }: { readonly ms: number }) => <span className="whitespace-nowrap">{durationText(ms)}</span>
