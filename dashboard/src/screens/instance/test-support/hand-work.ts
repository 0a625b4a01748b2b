// A worker by hand: claims a job when a test says so, and reports what the test wants.
import type { EngineProcess } from "../../../test-support/engine-process.ts"

export interface ClaimedJob {
  readonly id: string
  readonly leaseToken: string
  readonly variables: Readonly<Record<string, unknown>>
}

export interface Work {
  claim(jobType: string, workerId?: string): Promise<ClaimedJob>
  report(job: ClaimedJob, how: "complete" | "fail", body: object, workerId?: string): Promise<void>
  complete(jobType: string, variables?: object, workerId?: string): Promise<ClaimedJob>
  fail(jobType: string, errorMessage: string, retryable?: boolean, workerId?: string): Promise<ClaimedJob>
}

const WORKER = "worker-1"

export function handWork(engine: EngineProcess): Work {
  const claim = async (jobType: string, workerId = WORKER) => {
    const poll = { workerId, jobTypes: [jobType], maxJobs: 1, waitSeconds: 30, leaseSeconds: 600 }
    const { jobs } = await engine.send<{ jobs: readonly ClaimedJob[] }>("POST", "/v1/jobs/poll", poll)
    if (!jobs[0]) throw new Error(`there is no job of type ${jobType}`)
    return jobs[0]
  }
  const report: Work["report"] = (job, how, body, workerId = WORKER) =>
    engine.send("POST", `/v1/jobs/${job.id}/${how}`, { workerId, leaseToken: job.leaseToken, ...body })
  return {
    claim,
    report,
    async complete(jobType, variables = {}, workerId) {
      const job = await claim(jobType, workerId)
      await report(job, "complete", { variables }, workerId)
      return job
    },
    async fail(jobType, errorMessage, retryable = false, workerId) {
      const job = await claim(jobType, workerId)
      await report(job, "fail", { retryable, errorMessage }, workerId)
      return job
    },
  }
}
