// The job types that no worker asks for although jobs wait: they would wait for ever.
import type { JobType } from "../../api/job-types.ts"
import type { Worker } from "../../api/workers.ts"

export const unpolled = (types: readonly JobType[], workers: readonly Worker[]): JobType[] => {
  const asked = new Set(workers.filter(({ polling }) => polling).flatMap(({ jobTypes }) => jobTypes))
  return types.filter(({ name, ready = 0 }) => ready > 0 && !asked.has(name))
}
