// RPCs of workers: claim jobs, report on them, keep their leases.
import type { wire } from "@millrace/sdk"
import {
  CompleteJobResponse,
  ExchangeJobsResponse,
  type FailedReport,
  FailJobResponse,
  HeartbeatResponse,
  PollJobsResponse,
} from "@millrace/sdk/proto"
import type { JsonObject } from "../../../support/json.ts"
import { jobRoutes } from "../../routes/jobs/jobs.ts"
import { reportOutcomes } from "../messages/enums.ts"
import { given, type Rpcs, routeNamed } from "../rpc.ts"

const poll = routeNamed(jobRoutes, "POST", "/v1/jobs/poll")
const exchange = routeNamed(jobRoutes, "POST", "/v1/jobs/exchange")
const complete = routeNamed(jobRoutes, "POST", "/v1/jobs/{jobId}/complete")
const fail = routeNamed(jobRoutes, "POST", "/v1/jobs/{jobId}/fail")
const heartbeat = routeNamed(jobRoutes, "POST", "/v1/jobs/{jobId}/heartbeat")

const json = (fields: object): JsonObject => given(fields) as JsonObject

/** 0 seconds are meant where they are given: the field is optional. A failure without a message has an empty one. */
const failure = ({ retryAfter, retryable, errorMessage, ...report }: Omit<FailedReport, "jobId">): JsonObject => ({
  ...json(report),
  retryable,
  errorMessage,
  ...(retryAfter === undefined ? {} : { retryAfter }),
})

export const jobRpcs: Rpcs<"pollJobs" | "completeJob" | "failJob" | "heartbeat" | "exchangeJobs"> = {
  pollJobs: {
    route: poll,
    ask: (message) => ({ body: json(message) }),
    say: ({ jobs }: wire.PollResult) => PollJobsResponse.fromPartial({ jobs: [...jobs] }),
  },
  completeJob: {
    route: complete,
    ask: ({ jobId, ...report }) => ({ params: { jobId }, body: json(report) }),
    say: () => CompleteJobResponse.create(),
  },
  failJob: {
    route: fail,
    ask: ({ jobId, ...report }) => ({ params: { jobId }, body: failure(report) }),
    say: () => FailJobResponse.create(),
  },
  heartbeat: {
    route: heartbeat,
    ask: ({ jobId, ...lease }) => ({ params: { jobId }, body: json(lease) }),
    say: (said: wire.HeartbeatResult) => HeartbeatResponse.fromPartial(said),
  },
  exchangeJobs: {
    route: exchange,
    ask: ({ completed, failed, poll: claim, ...rest }) => ({
      body: json({
        ...rest,
        completed: completed.map(json),
        failed: failed.map(({ jobId, ...report }) => ({ jobId, ...failure(report) })),
        poll: claim && json(claim),
      }),
    }),
    say: ({ results, jobs }: wire.ExchangeResult) =>
      ExchangeJobsResponse.fromPartial({
        results: results.map(({ jobId, outcome }) => ({ jobId, outcome: reportOutcomes.numberOf(outcome) })),
        jobs: [...jobs],
      }),
  },
}
