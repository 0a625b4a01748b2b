// Workers: who asks for jobs of which types, and who has some.
import type { wire } from "@millrace/sdk"
import { get } from "./http.ts"

export type Worker = wire.WorkerInView
export type Workers = wire.WorkerList

/** A worker comes and goes without anything happening to a job: nobody tells, so it is asked. */
export const workersQuery = {
  queryKey: ["workers"],
  queryFn: () => get<"listWorkers">("/v1/workers"),
  refetchInterval: 5_000,
}
