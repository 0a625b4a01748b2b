// The exchange of a busy worker: reports first, then more work, in one round trip.
import type { Report } from "../../../operations/jobs/end/report.ts"
import { reportJobs } from "../../../operations/jobs/end/report-jobs.ts"
import { badRequest } from "../../../support/errors.ts"
import { decode } from "../../calls/decode.ts"
import type { Fields } from "../../calls/fields.ts"
import { type Answer, actorOf, type Call } from "../../calls/route.ts"
import { type Claim, claimFor, jobsJson, pollableTypes, readClaim } from "./job-claims.ts"
import { readCompletion, readFailure, readWorker } from "./job-reports.ts"

const MAX_REPORTS = 500

export async function exchange(call: Call): Promise<Answer> {
  const { reports, claim } = readExchange(call)
  // Refused as a whole before anything is written: a worker that may not poll would not see its results.
  if (claim) pollableTypes(call, claim.jobTypes, "$.poll.jobTypes")
  const outcomes = await reportJobs(call.kernel, reports)
  const results = reports.map(({ jobId }, index) => ({ jobId, outcome: outcomes[index] }))
  const jobs = claim ? await claimFor(call, reports.length > 0 ? { ...claim, waitMs: 0 } : claim) : []
  return { status: 200, body: `{"results":${JSON.stringify(results)},"jobs":${jobsJson(jobs)}}` }
}

interface Exchange {
  readonly reports: readonly Report[]
  readonly claim: Claim | undefined
}

function readExchange(call: Call): Exchange {
  const exchange = decode(call, ({ body }) => {
    const workerId = readWorker(body)
    const baseOf = (item: Fields) => ({ jobId: item.text("jobId", 64), workerId, actor: actorOf(call, workerId) })
    const completed = body.each("completed", MAX_REPORTS, (item) =>
      withToken(item, readCompletion(item, baseOf(item), 0)),
    )
    const failed = body.each("failed", MAX_REPORTS, (item) => withToken(item, readFailure(item, baseOf(item))))
    const poll = body.within("poll")
    const size = Math.ceil(call.size / Math.max(1, completed.length))
    return {
      reports: [...completed.map((report) => ({ ...report, size })), ...failed],
      claim: poll && { workerId, ...readClaim(poll) },
    }
  })
  if (exchange.reports.length > MAX_REPORTS) throw tooMany(exchange.reports.length)
  return exchange
}

/** Every report of an exchange carries its token. */
function withToken<R extends Report>(item: Fields, report: R): R {
  if (!report.token) item.require("leaseToken", "send the token of the claim")
  return report
}

function tooMany(count: number) {
  const violation = {
    path: "$",
    message: `more than ${MAX_REPORTS} reports`,
    hint: `there are ${count}: send them in parts`,
  }
  return badRequest(`${violation.path} ${violation.message}`, [violation])
}
