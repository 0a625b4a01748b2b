// Routes of jobs that stand alone: submit one or many, read one, cancel one. Unversioned and in snake_case, by contract.

import type { wire } from "@millrace/sdk"
import { cancelJob } from "../../../operations/jobs/end/cancel-job.ts"
import { type EnqueueRequest, enqueueJob } from "../../../operations/jobs/enqueue/enqueue-job.ts"
import { enqueueMany } from "../../../operations/jobs/enqueue/enqueue-many.ts"
import { getJob, type JobView, jobWithin } from "../../../operations/jobs/read-jobs.ts"
import { isoTime } from "../../../support/iso-time.ts"
import { answerTo, json, type Said } from "../../calls/answers.ts"
import { decodeQueue } from "../../calls/decode.ts"
import { requestKeyOf } from "../../calls/idempotency-key.ts"
import { type Answer, actorOf, type Call, type Route } from "../../calls/route.ts"
import { readJob, type SubmittedJob } from "./read-job.ts"

export const standaloneJobRoutes: readonly Route[] = [
  { method: "POST", path: "/jobs", permission: "jobs:write", handle: submit },
  {
    method: "POST",
    path: "/jobs/bulk",
    permission: "jobs:write",
    handle: submitMany,
    bodyKeys: 100_000,
    bodyOuterLevels: 2,
  },
  { method: "GET", path: "/jobs/{jobId}", permission: "jobs:read", handle: get },
  { method: "POST", path: "/jobs/{jobId}/cancel", permission: "jobs:write", handle: cancel },
]

const MOST_AT_ONCE = 1_000
const MAX_REASON = 2_000

async function submit(call: Call): Promise<Answer> {
  const job = decodeQueue(call, ({ body }) => readJob(body, call.kernel.settings))
  const { job: outcome, isRepeat } = await enqueueJob(call.kernel, { ...job, ...sharedBy(call) })
  return answerTo({ outcome, isRepeat }, (job) => ({ status: 202, body: jobJson(withoutResult(call, job)) }))
}

/** What every job of a call has from the call. */
const sharedBy = (call: Call) => {
  const { size, trace, door } = call
  return { door, actor: actorOf(call), requestKey: requestKeyOf(call), size, trace }
}

/** A repeat has sent the same payload; the result is not its own. */
const withoutResult = ({ reach }: Call, job: JobView): JobView =>
  reach.may("read", "job") ? job : { ...job, result: null }

/** All are judged before the first is taken; then each is taken or refused by itself. */
async function submitMany(call: Call): Promise<Answer> {
  const jobs = decodeQueue(call, ({ body }) => {
    if (!body.has("jobs")) body.require("jobs", `send a list of 1 to ${MOST_AT_ONCE} jobs`)
    return body.each("jobs", MOST_AT_ONCE, (item) => readJob(item, call.kernel.settings))
  })
  const enqueued = await enqueueMany(call.kernel, requestsOf(call, jobs))
  return json<wire.EnqueuedJobs>(202, { ids: enqueued.map(({ job }) => job.id) })
}

/** Each has a key of its own under that of the request: sent again, it takes what is missing. */
function requestsOf(call: Call, jobs: readonly SubmittedJob[]): EnqueueRequest[] {
  const { requestKey: key, ...shared } = sharedBy(call)
  const size = Math.ceil(call.size / Math.max(1, jobs.length))
  return jobs.map((job, at) => {
    const requestKey = key && { ...key, scope: `${key.scope} ${at}` }
    return { ...job, ...shared, requestKey, size }
  })
}

const jobIdOf = ({ params }: Call): string => params.jobId ?? ""

async function get(call: Call): Promise<Answer> {
  return sayJob(await getJob(call.kernel, jobIdOf(call)))
}

const sayJob = (job: JobView): Answer => ({ status: 200, body: jobJson(job) })

async function cancel(call: Call): Promise<Answer> {
  const reason = decodeQueue(call, ({ body }) => body.orAbsent((from) => from.optionalProse("reason", MAX_REASON)))
  const request = { id: jobIdOf(call), reason, actor: actorOf(call), requestKey: requestKeyOf(call) }
  return answerTo(await cancelJob(call.kernel, request), (job) => sayJob(jobWithin(call.reach, job)))
}

/** Payload and result are JSON text already: they are put in as they are. */
function jobJson({ payload, result, ...job }: JobView): string {
  const rest = JSON.stringify({
    id: job.id,
    type: job.type,
    key: job.key,
    status: job.status,
    priority: job.priority,
    retry_count: job.retryCount,
    error: job.error,
    created_at: isoTime(job.createdAt),
    updated_at: isoTime(job.updatedAt),
    due_at: job.visibleAt === undefined ? undefined : isoTime(job.visibleAt),
    worker_id: job.workerId,
    replay_of: job.replayOf,
  } satisfies Said<Omit<wire.StandaloneJob, "payload" | "result">>)
  return `${rest.slice(0, -1)},"payload":${payload},"result":${result ?? "null"}}`
}
