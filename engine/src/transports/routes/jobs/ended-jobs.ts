// Routes of standalone jobs that have ended: the list, the attempts of one, and one that is run again.
import type { wire } from "@millrace/sdk"
import { PRIORITIES } from "../../../model/definitions/definition.ts"
import { ENDED_STATUSES, listEndedJobs, listJobAttempts } from "../../../operations/jobs/list-ended-jobs.ts"
import { runJobAgain } from "../../../operations/jobs/run-job-again.ts"
import { answerTo, created, json } from "../../calls/answers.ts"
import { decode, readCursorPage } from "../../calls/decode.ts"
import { requestKeyOf } from "../../calls/idempotency-key.ts"
import { type Answer, actorOf, type Call, type Route } from "../../calls/route.ts"

export const endedJobRoutes: readonly Route[] = [
  { method: "GET", path: "/v1/jobs/ended", permission: "jobs:read", quiet: true, handle: list },
  { method: "GET", path: "/v1/jobs/{jobId}/attempts", permission: "jobs:read", quiet: true, handle: attempts },
  { method: "POST", path: "/v1/jobs/{jobId}/rerun", permission: "jobs:write", handle: rerun },
]

async function list(call: Call): Promise<Answer> {
  const query = decode(call, ({ query }) => ({
    status: query.optionalOneOf("status", ENDED_STATUSES),
    jobType: query.optionalText("jobType"),
    priority: query.optionalOneOf("priority", PRIORITIES),
    keyPrefix: query.optionalText("keyPrefix"),
    ...readCursorPage(query),
  }))
  return json<wire.EndedJobPage>(200, await listEndedJobs(call.kernel, query))
}

const jobIdOf = ({ params }: Call): string => params.jobId ?? ""

async function attempts(call: Call): Promise<Answer> {
  return json<wire.JobAttemptList>(200, { items: await listJobAttempts(call.kernel, jobIdOf(call)) })
}

async function rerun(call: Call): Promise<Answer> {
  const request = { id: jobIdOf(call), actor: actorOf(call), requestKey: requestKeyOf(call) }
  return answerTo(await runJobAgain(call.kernel, request), ({ id }) => created<wire.RerunJob>({ jobId: id }))
}
