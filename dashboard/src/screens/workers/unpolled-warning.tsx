// A warning: jobs of these types wait, and no worker asks for them.

import { COUNTED_TO, type JobType } from "../../api/job-types.ts"
import { CutName } from "../../kit/cut-text.tsx"
import { count } from "../../kit/numbers.ts"
import { Ago } from "../../kit/time.tsx"
import { ConnectWorker } from "./connect-worker.tsx"

export function UnpolledWarning({ types }: { readonly types: readonly JobType[] }) {
  return (
    <section
      aria-label="Job types that no worker asks for"
      className="border-warn bg-warn-soft flex flex-col gap-2 rounded-lg border px-4 py-3"
    >
      <h2 className="text-warn font-semibold">Jobs wait, and no worker asks for them</h2>
      <ul className="flex flex-col gap-1">
        {types.map(({ name, ready = 0, lastPolledAt }) => (
          <li key={name}>
            <CutName text={name} className="font-medium" />: {count(ready, ready < COUNTED_TO)}{" "}
            {ready === 1 ? "job waits" : "jobs wait"},{" "}
            {lastPolledAt === undefined ? (
              "no worker has ever asked for it"
            ) : (
              <>
                last asked for <Ago at={lastPolledAt} />
              </>
            )}
          </li>
        ))}
      </ul>
      <p>Start a worker for them, or look whether the one that should be running has the name of the type right.</p>
      {types.map(({ name }) => (
        <ConnectWorker key={name} jobType={name} />
      ))}
    </section>
  )
}
