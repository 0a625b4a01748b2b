// One execution of a step: when, by whom, what it changed, why it failed, and the attempts before.
import type { ReactNode } from "react"
import type { Attempt, StepExecution, WaitingReason } from "../../api/instance.ts"
import { Json } from "../../kit/json.tsx"
import { Badge } from "../../kit/status.tsx"
import { Ago, durationText, fullTime, useNow } from "../../kit/time.tsx"
import { executionWords, msOf, standingOf } from "./step-words.ts"

interface Props {
  readonly execution: StepExecution
  readonly reasons: readonly WaitingReason[]
}

export function ExecutionView({ execution, reasons }: Props) {
  const { attemptNumber, startedAt, endedAt, workerId, output, failureReason, attempts = [] } = execution
  const { word, tone } = standingOf(execution, reasons)
  return (
    <article className="border-line rounded-md border" aria-label={`Execution ${attemptNumber}`}>
      <h3 className="border-line flex items-center justify-between gap-2 border-b px-3 py-1.5 text-xs font-medium">
        {executionWords(execution)}
        <Badge tone={tone}>{word}</Badge>
      </h3>
      <div className="flex flex-col gap-2 px-3 py-2">
        <dl className="grid grid-cols-[4.5rem_minmax(0,1fr)] gap-x-2 gap-y-0.5 text-xs">
          <Fact name="Started">
            {fullTime(startedAt)} (<Ago at={startedAt} />)
          </Fact>
          {endedAt && <Fact name="Ended">{fullTime(endedAt)}</Fact>}
          <Fact name={endedAt ? "Took" : "For"}>
            <Took execution={execution} />
          </Fact>
          {workerId !== undefined && <Fact name="Worker">{workerId}</Fact>}
        </dl>
        {failureReason !== undefined && <Failure text={failureReason} />}
        {output !== undefined && (
          <div>
            <p className="text-muted mb-1 text-xs">What it changed in the variables</p>
            <Json value={output} label="output" />
          </div>
        )}
        {attempts.length > 0 && <Earlier attempts={attempts} />}
      </div>
    </article>
  )
}

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <dt className="text-muted">{name}</dt>
    <dd className="break-words">{children}</dd>
  </>
)

function Took({ execution }: { readonly execution: StepExecution }) {
  const now = useNow()
  return durationText(msOf(execution, now))
}

const Failure = ({ text }: { readonly text: string }) => (
  <p className="bg-bad-soft text-bad max-h-48 overflow-y-auto rounded px-2 py-1.5 text-xs break-words whitespace-pre-wrap">
    {text}
  </p>
)

const OUTCOMES = { failed: "failed", "timed-out": "timed out", lost: "was lost" } as const

const Earlier = ({ attempts }: { readonly attempts: readonly Attempt[] }) => (
  <div>
    <p className="text-muted mb-1 text-xs">Attempts before</p>
    <ol className="flex flex-col gap-1.5">
      {attempts.map(({ attempt, outcome, error, endedAt, workerId }) => (
        <li key={attempt} className="border-warn border-l-2 pl-2 text-xs">
          <p>
            Attempt {attempt} {OUTCOMES[outcome] ?? outcome} <Ago at={endedAt} />
            {workerId !== undefined && <span className="text-muted"> · {workerId}</span>}
          </p>
          <p className="text-warn max-h-32 overflow-y-auto break-words whitespace-pre-wrap">{error}</p>
        </li>
      ))}
    </ol>
  </div>
)
