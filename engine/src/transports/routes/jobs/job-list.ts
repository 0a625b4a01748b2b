// The route of the list of live jobs.
import type { wire } from "@millrace/sdk"
import { PRIORITIES } from "../../../model/definitions/definition.ts"
import { LISTED_STATUSES, listedJobWithin, listJobs } from "../../../operations/jobs/list-jobs.ts"
import { json } from "../../calls/answers.ts"
import { decode, readCursorPage } from "../../calls/decode.ts"
import type { Answer, Call, Route } from "../../calls/route.ts"

export const jobListRoutes: readonly Route[] = [
  { method: "GET", path: "/v1/jobs", permission: "jobs:read", quiet: true, handle: list },
]

async function list(call: Call): Promise<Answer> {
  const query = decode(call, ({ query }) => ({
    status: query.optionalOneOf("status", LISTED_STATUSES) ?? "ready",
    jobType: query.optionalText("jobType"),
    priority: query.optionalOneOf("priority", PRIORITIES),
    keyPrefix: query.optionalText("keyPrefix"),
    ...readCursorPage(query),
  }))
  const { items, ...next } = await listJobs(call.kernel, query)
  return json<wire.LiveJobPage>(200, { items: items.map((job) => listedJobWithin(call.reach, job)), ...next })
}
