// A warning: jobs of these types wait, and no worker asks for them. Each type has a worker to copy.
import { useState } from "react"
import { COUNTED_TO, type JobType } from "../../api/job-types.ts"
import { Button } from "../../kit/button.tsx"
import { CutName } from "../../kit/cut-text.tsx"
import { count } from "../../kit/numbers.ts"
import { Ago } from "../../kit/time.tsx"
import { ConnectWorker } from "./connect-worker.tsx"

/** More would push the workers off the screen. */
const SHOWN_AT_FIRST = 8

export function UnpolledWarning({ types }: { readonly types: readonly JobType[] }) {
  const [showsAll, setShowsAll] = useState(false)
  const hidden = types.length - SHOWN_AT_FIRST
  return (
    <section
      aria-label="Job types that no worker asks for"
      className="border-warn bg-warn-soft flex flex-col items-start gap-2 rounded-lg border px-4 py-3"
    >
      <h2 className="text-warn font-semibold">Jobs wait, and no worker asks for them</h2>
      <p>Start a worker for them, or look whether the one that should be running has the name of the type right.</p>
      <ul className="flex w-full flex-col gap-1">
        {types.slice(0, showsAll ? types.length : SHOWN_AT_FIRST).map((type) => (
          <li key={type.name}>
            <ConnectWorker jobType={type.name}>
              <Waiting type={type} />
            </ConnectWorker>
          </li>
        ))}
      </ul>
      {hidden > 0 && (
        <Button onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? `Only the first ${SHOWN_AT_FIRST}` : `${count(hidden)} more`}
        </Button>
      )}
    </section>
  )
}

const Waiting = ({ type: { name, ready = 0, lastPolledAt } }: { readonly type: JobType }) => (
  <span className="min-w-0">
    <CutName text={name} className="font-medium" />: {count(ready, ready < COUNTED_TO)}{" "}
    {ready === 1 ? "job waits" : "jobs wait"},{" "}
    {lastPolledAt === undefined ? (
      "no worker has ever asked for it"
    ) : (
      <>
        last asked for <Ago at={lastPolledAt} />
      </>
    )}
  </span>
)
