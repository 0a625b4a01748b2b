// Where admission stops and goes on, for each priority and for all together.
import type { wire } from "@millrace/sdk"
import { get, put, remove } from "./http.ts"
import { PRIORITIES } from "./overview.ts"

export const GATES = [...PRIORITIES, "total"] as const satisfies readonly (keyof wire.Watermarks)[]
export type GateName = (typeof GATES)[number]

export type Watermark = wire.Watermark
export type WatermarksInForce = wire.WatermarksInForce

export const watermarksQuery = {
  queryKey: ["queues", "watermarks"],
  queryFn: () => get<"getWatermarks">("/queues/watermarks"),
}

export const setWatermarks = (marks: wire.Watermarks) => put<"setWatermarks">("/queues/watermarks", marks)
export const resetWatermarks = () => remove<"resetWatermarks">("/queues/watermarks")
