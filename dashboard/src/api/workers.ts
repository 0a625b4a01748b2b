// Workers: who asks for jobs of which types, and who has some.
import { get } from "./http.ts"

export interface Worker {
  readonly workerId: string
  readonly inFlight: number
  readonly jobTypes: readonly string[]
  /** When it claimed the oldest job it has. */
  readonly since?: string
  readonly firstSeenAt?: string
  readonly lastSeenAt?: string
  /** Whether it asks for work. */
  readonly polling: boolean
}

export interface Polled {
  readonly jobType: string
  readonly lastPolledAt: string
}

export interface Workers {
  readonly items: readonly Worker[]
  readonly polled: readonly Polled[]
}

/** A worker comes and goes without anything happening to a job: nobody tells, so it is asked. */
export const workersQuery = {
  queryKey: ["workers"],
  queryFn: () => get<Workers>("/v1/workers"),
  refetchInterval: 5_000,
}
