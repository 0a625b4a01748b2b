// Shadow mode: which rules only note, what they would have refused in the last 24 hours, and the switch.
import type { wire } from "@millrace/sdk"
import { get, post } from "../http.ts"
import { GUARD } from "./state.ts"

export type GuardRule = wire.GuardRule
export type ShadowMode = wire.ShadowMode
export type ShadowedCalls = wire.ShadowReport["items"][number]

const PAGE_SIZE = 50

export const shadowStatsQuery = {
  queryKey: [...GUARD, "shadow-stats"],
  queryFn: () => get<"getShadowStats">("/admin/shadow-stats"),
}

interface ReportFilter {
  readonly rule: GuardRule | undefined
  readonly client: string | undefined
}

export const shadowReportQuery = (filter: ReportFilter, cursor: string | undefined) => ({
  queryKey: [...GUARD, "shadow-report", filter, cursor],
  queryFn: () => get<"getShadowReport">("/admin/shadow-report", { ...filter, cursor, pageSize: PAGE_SIZE }),
})

export const setShadow = ({ enabled, rule }: { readonly enabled: boolean; readonly rule?: GuardRule | undefined }) =>
  post<"setShadowMode">(
    `/admin/shadow-mode?${new URLSearchParams({ enabled: String(enabled), ...(rule ? { rule } : {}) })}`,
  )
