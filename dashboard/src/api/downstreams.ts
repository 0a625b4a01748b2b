// What the downstreams can take, and how they stand.
import type { wire } from "@millrace/sdk"
import { get, put, remove } from "./http.ts"

export type Downstream = wire.Downstream
export type DownstreamLimits = wire.DownstreamLimits

export const downstreamsQuery = {
  queryKey: ["queues", "downstreams"],
  queryFn: async () => (await get<"listDownstreams">("/v1/downstreams")).items,
}

const downstreamAt = (name: string): string => `/v1/downstreams/${encodeURIComponent(name)}`

export const setDownstream = (name: string, limits: DownstreamLimits) =>
  put<"setDownstream">(downstreamAt(name), limits)
export const removeLimits = (name: string) => remove<"deleteDownstream">(downstreamAt(name))
