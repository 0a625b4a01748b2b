// One execution of a step: when, by whom, what it changed, why it failed, and the attempts before.

import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { Attempt, StepExecution, WaitingReason } from "../../api/instance.ts"
import { cx } from "../../kit/classes.ts"
import { CutName, Words } from "../../kit/cut-text.tsx"
import { Json } from "../../kit/json.tsx"
import { Standing } from "../../kit/status.tsx"
import { Ago, durationText, fullTime, useNow } from "../../kit/time.tsx"
import { executionWords, msOf, outcomeWords, standingOf } from "./step-words.ts"

interface Props {
  readonly execution: StepExecution
  readonly reasons: readonly WaitingReason[]
}

export function ExecutionView({ execution, reasons }: Props) {
  const { attemptNumber, startedAt, endedAt, workerId, output, failureReason, stack, attempts = [] } = execution
  const { wait, branch, childId, isTolerated } = execution
  const { word, tone } = standingOf(execution, reasons)
  return (
    <article className="border-line rounded-md border" aria-label={`Execution ${attemptNumber}`}>
      <h3 className="border-line flex items-center justify-between gap-2 border-b px-3 py-1.5 text-xs font-medium">
        {executionWords(execution)}
        <Standing tone={tone}>{word}</Standing>
      </h3>
      <div className="flex flex-col gap-2 px-3 py-2">
        <dl className="grid grid-cols-[4.5rem_minmax(0,1fr)] gap-x-2 gap-y-0.5 text-xs">
          <Fact name="Started">
            {startedAt === undefined ? (
              "Not recorded."
            ) : (
              <>
                {fullTime(startedAt)} (<Ago at={startedAt} />)
              </>
            )}
          </Fact>
          {endedAt && <Fact name="Ended">{fullTime(endedAt)}</Fact>}
          <Fact name={endedAt ? "Took" : "For"}>
            <Took execution={execution} />
          </Fact>
          {workerId !== undefined && (
            <Fact name="Worker">
              <CutName text={workerId} />
            </Fact>
          )}
          {branch && <Fact name="Branch">{branch.join(", ")}</Fact>}
          {childId !== undefined && (
            <Fact name="Child">
              <Link to="/instances/$instanceId" params={{ instanceId: childId }} className="font-mono break-all">
                {childId}
              </Link>
            </Fact>
          )}
        </dl>
        {wait?.message !== undefined && (
          <p className="text-xs">
            <Words text={wait.message} />
          </p>
        )}
        {failureReason !== undefined && <Failure text={failureReason} isTolerated={isTolerated === true} />}
        {stack !== undefined && <Stack text={stack} of={executionWords(execution)} />}
        {output !== undefined && (
          <div>
            <p className="text-muted mb-1 text-xs">
              {execution.id.includes("/") ? "What it returned" : "What it changed in the variables"}
            </p>
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
    <dd className="min-w-0">{children}</dd>
  </>
)

function Took({ execution }: { readonly execution: StepExecution }) {
  const now = useNow()
  return durationText(msOf(execution, now))
}

/** One that the run has survived is no alarm. */
const Failure = ({ text, isTolerated }: { readonly text: string; readonly isTolerated: boolean }) => (
  <p
    className={cx(
      "max-h-48 overflow-y-auto rounded px-2 py-1.5 font-mono text-xs whitespace-pre-wrap",
      isTolerated ? "bg-warn-soft text-warn" : "bg-bad-soft text-bad",
    )}
  >
    {text}
  </p>
)

/** Where the error was thrown. What scrolls has to be reached by the keyboard. */
export const Stack = ({ text, of }: { readonly text: string; readonly of: string }) => (
  <section
    aria-label={`Stack of ${of}`}
    className="border-line bg-surface text-text mt-1 max-h-60 overflow-auto rounded border px-2 py-1.5"
    tabIndex={0}
  >
    <pre className="font-mono text-xs">{text}</pre>
  </section>
)

const Earlier = ({ attempts }: { readonly attempts: readonly Attempt[] }) => (
  <div>
    <p className="text-muted mb-1 text-xs">Attempts before</p>
    <ol className="flex flex-col gap-1.5">
      {attempts.map(({ attempt, outcome, error, stack, endedAt, workerId }) => (
        <li
          key={`${attempt} ${endedAt}`}
          className={cx("border-warn border-l-2 pl-2 text-xs", outcome === "lost" && "border-dashed")}
        >
          <p>
            Attempt {attempt} {outcomeWords(outcome)} <Ago at={endedAt} />
            {workerId !== undefined && (
              <span className="text-muted">
                {" · "}
                <CutName text={workerId} />
              </span>
            )}
          </p>
          <p className="text-warn max-h-32 overflow-y-auto font-mono whitespace-pre-wrap">{error}</p>
          {stack !== undefined && (
            <details>
              <summary className="text-muted">Stack</summary>
              <Stack text={stack} of={`attempt ${attempt}`} />
            </details>
          )}
        </li>
      ))}
    </ol>
  </div>
)
