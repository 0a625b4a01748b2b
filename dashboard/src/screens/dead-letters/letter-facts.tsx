// What is known of a dead letter: error and stack, source, attempts, payload.
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import type { DeadLetterDetail } from "../../api/dead-letters.ts"
import { jobQuery } from "../../api/jobs.ts"
import { CutName, CutText, firstLine, Words } from "../../kit/cut-text.tsx"
import { CopyButton, Json } from "../../kit/json.tsx"
import { InstanceLink } from "../../kit/names/instance-cell.tsx"
import { count } from "../../kit/numbers.ts"
import { Loading } from "../../kit/states.tsx"
import { Standing } from "../../kit/status.tsx"
import { type Column, Table } from "../../kit/table.tsx"
import { Ago } from "../../kit/time.tsx"
import { namesOfLetter, REASONS } from "./words.ts"

interface Props {
  readonly letter: DeadLetterDetail
  /** Only what the list knows of it is there yet. */
  readonly isPart: boolean
}

export function LetterFacts({ letter, isPart }: Props) {
  return (
    <>
      <ErrorText error={letter.error} />
      <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-3 gap-y-1.5">
        <Fact name="Job type">
          <CutName text={letter.type} className="font-medium" />
        </Fact>
        <Fact name="Given up">
          <Standing tone="bad">{REASONS[letter.reason]}</Standing> · <Ago at={letter.dead_at} />
        </Fact>
        {letter.source === "job" ? <JobFacts letter={letter} /> : <StepFacts letter={letter} />}
        <Fact name="Priority">{letter.priority}</Fact>
        <Fact name="Tried">{triedText(letter)}</Fact>
        <Fact name="Like it">
          <Link to="/dead-letters" search={{ view: "list", failure: letter.fingerprint }}>
            Dead letters with this error
          </Link>
          {letter.source === "step" && (
            <>
              {" · "}
              <Link to="/instances" search={{ failure: letter.fingerprint }}>
                instances
              </Link>
            </>
          )}
        </Fact>
      </dl>
      {isPart ? <Loading /> : <Contents letter={letter} />}
    </>
  )
}

const Contents = ({ letter }: { readonly letter: DeadLetterDetail }) => (
  <>
    <Part title="Attempts">
      <div className="border-line rounded-md border">
        <Table
          caption="Attempts"
          columns={ATTEMPT_COLUMNS}
          rows={letter.history}
          keyOf={(one) => String(one.attempt)}
        />
      </div>
    </Part>
    <Part title={letter.source === "job" ? "Payload" : "Payload: what its instance knows"}>
      <Json value={letter.payload} label="payload" />
    </Part>
  </>
)

/** A worker that was lost cost an attempt, and no retry. */
const triedText = ({ attempts, retry_count }: DeadLetterDetail): string =>
  `${attempts === 1 ? "once" : `${count(attempts)} times`}, ${retry_count === 0 ? "no retry" : retry_count === 1 ? "1 retry" : `${count(retry_count)} retries`}`

const Fact = ({ name, children }: { readonly name: string; readonly children: ReactNode }) => (
  <>
    <dt className="text-muted">{name}</dt>
    <dd className="min-w-0">{children}</dd>
  </>
)

const Part = ({ title, children }: { readonly title: string; readonly children: ReactNode }) => (
  <section className="flex min-w-0 flex-col gap-1.5">
    <h3 className="text-muted text-xs font-medium">{title}</h3>
    {children}
  </section>
)

/** The message, and below it the stack, if the worker sent one. */
function ErrorText({ error }: { readonly error: string }) {
  const message = firstLine(error)
  const stack = error.slice(message.length).trim()
  return (
    <section aria-label="Error" className="bg-bad-soft relative rounded-md">
      <CopyButton text={error} label="Copy error" className="absolute top-1 right-1" />
      <p className="text-bad px-3 pt-2.5 pr-16 pb-2.5 font-medium">
        <Words text={message} />
      </p>
      {stack !== "" && (
        <section aria-label="Stack" tabIndex={0} className="max-h-64 overflow-auto px-3 pb-2.5">
          <pre className="font-mono text-xs leading-5 whitespace-pre">{error.slice(message.length + 1)}</pre>
        </section>
      )}
    </section>
  )
}

function JobFacts({ letter: { job_id: jobId, key } }: { readonly letter: DeadLetterDetail }) {
  const { data: job } = useQuery({ ...jobQuery(jobId), refetchInterval: false })
  return (
    <>
      <Fact name="Job">
        <JobLink id={jobId} />
      </Fact>
      {key !== undefined && (
        <Fact name="Key">
          <CutName text={key} className="font-medium" />
        </Fact>
      )}
      {job?.replay_of !== undefined && (
        <Fact name="Replay of">
          <JobLink id={job.replay_of} />
        </Fact>
      )}
    </>
  )
}

const JobLink = ({ id }: { readonly id: string }) => (
  <Link to="/jobs/$jobId" params={{ jobId: id }} className="font-mono text-xs">
    {id}
  </Link>
)

const StepFacts = ({ letter }: { readonly letter: DeadLetterDetail }) => (
  <>
    <Fact name="Instance">
      <InstanceLink instance={{ id: letter.instance_id ?? "", ...namesOfLetter(letter) }} step={letter.step_id} />
    </Fact>
    <Fact name="Step">
      {letter.step_id} of{" "}
      <Link to="/definitions/$definitionId" params={{ definitionId: letter.definition_id ?? "" }}>
        {letter.definition_id}
      </Link>
    </Fact>
  </>
)

const ATTEMPT_COLUMNS: readonly Column<DeadLetterDetail["history"][number]>[] = [
  { name: "#", align: "right", cell: ({ attempt }) => attempt },
  { name: "Outcome", className: "whitespace-nowrap", cell: ({ outcome }) => outcome },
  { name: "Error", className: "w-full max-w-0 min-w-24", cell: ({ error }) => error && <CutText text={error} /> },
  { name: "Worker", className: "max-w-28", cell: ({ worker_id }) => worker_id && <CutName text={worker_id} /> },
  { name: "Ended", cell: ({ ended_at }) => <Ago at={ended_at} /> },
]
