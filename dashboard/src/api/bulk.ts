// Bulk operations: one action on many instances or dead letters, previewed, started, and followed until it is over.
import type { wire } from "@millrace/sdk"
import { get } from "./http.ts"

export type Bulk = wire.Bulk
export type BulkAction = Bulk["action"]

const FOLLOW_MS = 1_000

export const bulkQuery = (id: string) => ({
  queryKey: ["bulk", id],
  queryFn: () => get<"getBulk">(`/v1/bulk/${encodeURIComponent(id)}`),
  refetchInterval: ({ state }: { state: { data?: Bulk | undefined; error: Error | null } }) =>
    state.data?.finished || state.error ? false : FOLLOW_MS,
})
