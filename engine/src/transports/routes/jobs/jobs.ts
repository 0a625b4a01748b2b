// Routes of workers: claim jobs, report on them, keep their leases.

import type { wire } from "@millrace/sdk"
import { heartbeatJob, readHeldVariables } from "../../../operations/jobs/claim/heartbeat-job.ts"
import type { Report, ReportOutcome } from "../../../operations/jobs/end/report.ts"
import { reportJob } from "../../../operations/jobs/end/report-jobs.ts"
import { EngineError, notFound } from "../../../support/errors.ts"
import { isoTime } from "../../../support/iso-time.ts"
import { json, noContent } from "../../calls/answers.ts"
import { authorizeReport } from "../../calls/authorize.ts"
import { decode } from "../../calls/decode.ts"
import type { Fields } from "../../calls/fields.ts"
import { type Answer, actorOf, type Call, type Route } from "../../calls/route.ts"
import { claimFor, jobsJson, readClaim } from "./job-claims.ts"
import { exchange } from "./job-exchange.ts"
import { readCompletion, readFailure, readLeaseMs, readToken, readWorker } from "./job-reports.ts"

const work = { method: "POST", permission: "jobs:work" } as const

// Reports are idempotent by their lease token, so an Idempotency-Key is accepted and not looked at.
export const jobRoutes: readonly Route[] = [
  { ...work, path: "/v1/jobs/poll", quiet: true, waits: true, handle: poll },
  { ...work, path: "/v1/jobs/exchange", quiet: true, waits: true, bodyOuterLevels: 2, handle: exchange },
  { ...work, path: "/v1/jobs/complete", handle: (call) => report(call, jobIdInBody, readCompletion) },
  { ...work, path: "/v1/jobs/fail", handle: (call) => report(call, jobIdInBody, readFailure) },
  { ...work, path: "/v1/jobs/{jobId}/complete", handle: (call) => report(call, jobIdInPath(call), readCompletion) },
  { ...work, path: "/v1/jobs/{jobId}/fail", handle: (call) => report(call, jobIdInPath(call), readFailure) },
  { ...work, path: "/v1/jobs/{jobId}/heartbeat", quiet: true, handle: heartbeat },
]

type ReadJobId = (body: Fields) => string

const jobIdInBody: ReadJobId = (body) => body.text("jobId", 64)
const jobIdInPath =
  ({ params }: Call): ReadJobId =>
  () =>
    params.jobId ?? ""

async function poll(call: Call): Promise<Answer> {
  const claim = decode(call, ({ body }) => ({ workerId: readWorker(body), ...readClaim(body) }))
  const jobs = await claimFor(call, claim)
  return { status: 200, body: `{"jobs":${jobsJson(jobs)}}` }
}

type ReadReport = (body: Fields, base: { jobId: string; workerId: string; actor: string }, size: number) => Report

async function report(call: Call, readJobId: ReadJobId, read: ReadReport): Promise<Answer> {
  const request = decode(call, ({ body }) => {
    const workerId = readWorker(body)
    return read(body, { jobId: readJobId(body), workerId, actor: actorOf(call, workerId) }, call.size)
  })
  authorizeReport(call.principal, request.token !== undefined)
  return answerOf(request, await reportJob(call.kernel, request))
}

/** A stale report without a token gets no error, for compatibility with the API that this one follows. */
function answerOf({ jobId, token }: Report, outcome: ReportOutcome): Answer {
  if (outcome === "unknown") throw notFound(`there is no job ${jobId.slice(0, 64)}`)
  if (outcome === "stale" && token !== undefined) throw leaseLost()
  return noContent
}

const leaseLost = () =>
  new EngineError("lease-lost", "this lease was lost, or used up by another report; nothing was changed")

async function heartbeat(call: Call): Promise<Answer> {
  const request = decode(call, ({ body }) => ({
    jobId: call.params.jobId ?? "",
    workerId: readWorker(body),
    token: readToken(body),
    leaseMs: readLeaseMs(body),
    withVariables: body.optionalFlag("withVariables") ?? false,
  }))
  authorizeReport(call.principal, request.token !== undefined)
  const lockExpiresAt = isoTime(await heartbeatJob(call.kernel, request))
  if (!request.withVariables) return json<wire.HeartbeatResult>(200, { lockExpiresAt })
  const variables = await readHeldVariables(call.kernel, request.jobId)
  return { status: 200, body: `{"lockExpiresAt":"${lockExpiresAt}","variables":${variables}}` }
}
