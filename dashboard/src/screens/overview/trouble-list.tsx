// What is wrong first: each line leads to the screen where it can be looked into.
import { useQuery } from "@tanstack/react-query"
import { Link } from "@tanstack/react-router"
import type { ReactNode } from "react"
import { deadGroupsQuery } from "../../api/dead-letters.ts"
import { jobTypesQuery } from "../../api/job-types.ts"
import type { Overview } from "../../api/overview.ts"
import { pausesQuery } from "../../api/pauses.ts"
import { useMay } from "../../api/session.ts"
import { workersQuery } from "../../api/workers.ts"
import { Words } from "../../kit/cut-text.tsx"
import { Card } from "../../kit/page.tsx"
import { Standing } from "../../kit/status.tsx"
import { unpolled } from "../workers/unpolled.ts"
import { type Trouble, troublesOf } from "./troubles.ts"

export function TroubleList({ overview }: { readonly overview: Overview }) {
  const { troubles, isAll } = useTroubles(overview)
  // What is not read yet may be wrong.
  if (troubles.length === 0) return isAll ? <AllWell /> : null
  return (
    <Card title="What is wrong" flush>
      <ul className="divide-line divide-y pb-1">
        {troubles.map((trouble) => (
          <li key={`${trouble.kind} ${trouble.what}`} className="flex items-baseline gap-3 px-4 py-1.5">
            <span className="w-20 shrink-0">
              <Standing tone={trouble.tone}>{trouble.kind}</Standing>
            </span>
            <span className="min-w-0 flex-1">
              <ToCause trouble={trouble}>
                <Words text={trouble.what} />
              </ToCause>
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const AllWell = () => (
  <p className="flex items-baseline gap-2 px-1">
    <Standing tone="good">all well</Standing>
    <span className="text-muted">No gate is shut, nothing is stuck, dead, late or paused.</span>
  </p>
)

interface Found {
  readonly troubles: readonly Trouble[]
  /** All data in which there may be a trouble has been read. */
  readonly isAll: boolean
}

function useTroubles(overview: Overview): Found {
  const enabled = useMay("jobs:read")
  const types = useQuery({ ...jobTypesQuery, enabled, meta: { live: true } })
  const workers = useQuery({ ...workersQuery, enabled, meta: { live: true } })
  const groups = useQuery({ ...deadGroupsQuery(), enabled: enabled && overview.deadLetters > 0, meta: { live: true } })
  const pauses = useQuery({ ...pausesQuery, enabled })
  const isAll = enabled && [types, workers, pauses].every(({ isSuccess }) => isSuccess)
  const troubles = troublesOf({
    overview,
    unpolled: workers.data ? unpolled(types.data ?? [], workers.data.items) : [],
    groups: overview.deadLetters > 0 ? (groups.data?.items ?? []) : [],
    pauses: pauses.data ?? [],
  })
  return { troubles, isAll: isAll && (overview.deadLetters === 0 || groups.isSuccess) }
}

const LINK = "text-text line-clamp-2"

function ToCause({ trouble: { where }, children }: { readonly trouble: Trouble; readonly children: ReactNode }) {
  if (where.to === "/dead-letters")
    return (
      <Link
        to="/dead-letters"
        search={where.failure === undefined ? {} : { view: "list", failure: where.failure }}
        className={LINK}
      >
        {children}
      </Link>
    )
  if (where.to === "/jobs")
    return (
      <Link to="/jobs" search={{ priority: where.priority }} className={LINK}>
        {children}
      </Link>
    )
  return (
    <Link to={where.to} className={LINK}>
      {children}
    </Link>
  )
}
