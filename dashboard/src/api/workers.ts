// Workers: who asks for jobs of which types, and who has some.
import type { wire } from "@millrace/sdk"
import { get } from "./http.ts"

export type Worker = wire.WorkerInView

/** A worker comes and goes without an event, so the page polls. */
export const workersQuery = {
  queryKey: ["workers"],
  queryFn: () => get<"listWorkers">("/v1/workers"),
  refetchInterval: 5_000,
}
