// Why a job is not moving, or who is at work on it, in the engine's words.

import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import { type Job, type JobWaitingReason, jobWaitingQuery } from "../../api/jobs.ts"
import { Words } from "../../kit/cut-text.tsx"
import { Card } from "../../kit/page.tsx"
import { Loaded } from "../../kit/states.tsx"
import { Badge } from "../../kit/status.tsx"
import { durationText, fullTime, useNow } from "../../kit/time.tsx"
import { standingOfKind, wordsOf } from "../../kit/waiting.ts"
import { decisiveFirst } from "./decisive-first.ts"

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
  const now = useNow()
  const { headline, more, isStuck } = wordsOf(reason, now)
  const { word, tone } = standingOfKind(kind)
  return (
    <li className="flex flex-wrap items-baseline gap-x-3 gap-y-1">
      <Badge tone={tone}>{word}</Badge>
      <span className="min-w-0 flex-1 basis-60">
        <span>
          <Words text={headline} />
        </span>{" "}
        {more && (
          <span className={isStuck ? "text-warn" : "text-muted"}>
            <Words text={more} />
          </span>
        )}
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
