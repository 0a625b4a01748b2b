// A worker that fails what it gets, for tests of what people do about failures.
import type { EngineProcess } from "./engine-process.ts"

interface Claimed {
  readonly id: string
  readonly leaseToken: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** For good, each with an error of its own. Returns how many there were. */
export async function failJobs(
  engine: EngineProcess,
  jobType: string,
  max: number,
  errorOf: (variables: Claimed["variables"]) => string,
): Promise<number> {
  const poll = { workerId: "tester", jobTypes: [jobType], maxJobs: max, leaseSeconds: 600 }
  const { jobs } = await engine.send<{ jobs: readonly Claimed[] }>("POST", "/v1/jobs/poll", poll)
  for (const { id, leaseToken, variables } of jobs) {
    const report = { workerId: "tester", leaseToken, retryable: false, errorMessage: errorOf(variables) }
    await engine.send("POST", `/v1/jobs/${encodeURIComponent(id)}/fail`, report)
  }
  return jobs.length
}
