// How the priorities share the claims.
import type { wire } from "@millrace/sdk"
import { get, patch, remove } from "./http.ts"

export type Weights = wire.Weights
export type WeightsInForce = wire.WeightsInForce

export const weightsQuery = { queryKey: ["queues", "weights"], queryFn: () => get<"getWeights">("/queues/weights") }

export const setWeights = ({ critical, high, normal }: Weights) =>
  patch<"setWeights">("/queues/weights", { critical, high, normal })
export const resetWeights = () => remove<"resetWeights">("/queues/weights")
