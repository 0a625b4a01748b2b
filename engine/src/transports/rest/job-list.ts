// The route of the list of live jobs.
import { PRIORITIES } from "../../model/definition.ts"
import { LISTED_STATUSES, listJobs } from "../../operations/list-jobs.ts"
import { json } from "./answers.ts"
import { decode, readPage } from "./decode.ts"
import type { Answer, Call, Route } from "./route.ts"

export const jobListRoutes: readonly Route[] = [
  { method: "GET", path: "/v1/jobs", permission: "jobs:read", quiet: true, handle: list },
]

async function list(call: Call): Promise<Answer> {
  const query = decode(call, ({ query }) => ({
    status: query.optionalOneOf("status", LISTED_STATUSES) ?? "ready",
    jobType: query.optionalText("jobType"),
    priority: query.optionalOneOf("priority", PRIORITIES),
    cursor: query.optionalText("cursor", 512),
    pageSize: readPage(query).pageSize,
  }))
  return json(200, await listJobs(call.ctx, query))
}
