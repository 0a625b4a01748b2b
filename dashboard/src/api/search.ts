// Instances by the beginning of a key, a business key or an id.
import type { wire } from "@millrace/sdk"
import { get } from "./http.ts"

export type FoundInstance = wire.FoundInstance

export const searchQuery = (prefix: string) => ({
  queryKey: ["search", prefix],
  queryFn: async () => (await get<"searchInstances">(`/v1/search?prefix=${encodeURIComponent(prefix)}`)).items,
})
