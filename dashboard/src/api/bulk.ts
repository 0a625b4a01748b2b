// Bulk operations: one action on many instances or dead letters, previewed, started, and followed until it is over.
import { get } from "./http.ts"

export type BulkAction = "cancel" | "retry" | "replay" | "discard"

export interface Bulk {
  readonly id: string
  readonly action: BulkAction
  readonly matched: number
  readonly done: number
  readonly failed: number
  readonly finished: boolean
}

const FOLLOW_MS = 1_000

export const bulkQuery = (id: string) => ({
  queryKey: ["bulk", id],
  queryFn: () => get<Bulk>(`/v1/bulk/${encodeURIComponent(id)}`),
  refetchInterval: ({ state }: { state: { data?: Bulk | undefined; error: Error | null } }) =>
    state.data?.finished || state.error ? false : FOLLOW_MS,
})
