// How the priorities share the claims.
import type { wire } from "@millrace/sdk"
import { get, patch, remove } from "./http.ts"

export type Weights = wire.Weights
export type WeightsInForce = wire.WeightsInForce

export const weightsQuery = { queryKey: ["queues", "weights"], queryFn: () => get<"getWeights">("/queues/weights") }

/** Refused with 409 where the weights are no more those of the version that was seen. */
export const setWeights = ({ critical, high, normal }: Weights, version: string) =>
  patch<"setWeights">("/queues/weights", { critical, high, normal, version })
export const resetWeights = () => remove<"resetWeights">("/queues/weights")
