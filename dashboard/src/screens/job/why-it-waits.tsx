// Why a job is not moving, or who is at work on it, in the engine's words.
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type Job, type JobWaitingReason, jobWaitingQuery } from "../../api/jobs.ts"
import { Card } from "../../kit/page.tsx"
import { Loaded } from "../../kit/states.tsx"
import { Badge, type Tone } from "../../kit/status.tsx"
import { durationText, fullTime, useNow } from "../../kit/time.tsx"
import { decisiveFirst, sentencesOf } from "./decisive-first.ts"

const KINDS: Readonly<Record<string, readonly [Tone, string]>> = {
  "job-leased": ["info", "with a worker"],
  "job-queued": ["calm", "in the queue"],
  paused: ["warn", "paused"],
  pace: ["warn", "kept to a pace"],
  limit: ["warn", "kept to a limit"],
  retry: ["warn", "tried again later"],
  timer: ["calm", "not yet due"],
}

export function WhyItWaits({ job: { id, status } }: { readonly job: Job }) {
  const query = useQuery({ ...jobWaitingQuery(id), meta: { live: true } })
  return (
    <Card title={status === "RUNNING" ? "Running" : "Why it waits"}>
      <Loaded query={query}>
        {(reasons) =>
          reasons.length === 0 ? (
            <p className="text-muted">It waits for nothing: it is on its way.</p>
          ) : (
            <ul className="flex flex-col gap-2">
              {decisiveFirst(reasons).map((reason) => (
                <Reason key={reason.kind} reason={reason} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  )
}

function Reason({ reason }: { readonly reason: JobWaitingReason }) {
  const { kind, since } = reason
  const [first, ...more] = sentencesOf(reason)
  const now = useNow()
  const [tone, words] = KINDS[kind] ?? ["calm", kind]
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
      <Badge tone={tone}>{words}</Badge>
      <span className="min-w-0 flex-1 basis-60 break-words">
        {first} {more.length > 0 && <span className="text-muted">{more.join(" ")}</span>}
      </span>
      <span className="text-muted text-xs" title={fullTime(since)}>
        for {durationText(now - Date.parse(since))}
      </span>
      <WayOut kind={kind} />
    </li>
  )
}

function WayOut({ kind }: { readonly kind: string }) {
  if (kind === "paused" || kind === "pace") return <Link to="/queues">Queues</Link>
  return kind === "job-queued" || kind === "job-leased" ? <Link to="/workers">Workers</Link> : null
}
