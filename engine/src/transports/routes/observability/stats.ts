// Routes of what the dashboard shows of the whole engine: how it stands now, and how it went.
import type { wire } from "@millrace/sdk"
import { readOverview } from "../../../operations/observability/read-overview.ts"
import { readStats, STATS_WINDOWS } from "../../../operations/observability/read-stats.ts"
import { json } from "../../calls/answers.ts"
import { decode } from "../../calls/decode.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"

export const statsRoutes: readonly Route[] = [
  { method: "GET", path: "/v1/overview", permission: "metrics:read", quiet: true, handle: overview },
  { method: "GET", path: "/v1/stats", permission: "metrics:read", quiet: true, handle: stats },
]

async function overview({ kernel }: Call): Promise<Answer> {
  return json<wire.Overview>(200, await readOverview(kernel))
}

async function stats(call: Call): Promise<Answer> {
  const window = decode(call, ({ query }) => query.optionalOneOf("window", STATS_WINDOWS)) ?? "PT15M"
  return json<wire.Stats>(200, await readStats(call.kernel, window))
}
