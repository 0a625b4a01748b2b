// What the planners take from the outside: the moment, the dice and the limits.
import type { PlanContext } from "../../model/instances/draft.ts"
import type { Kernel } from "../kernel/kernel.ts"

export const planContext = ({ random, settings }: Kernel, nowMs: number): PlanContext => ({
  nowMs,
  random,
  maxLostLeases: settings.maxLostLeases,
  sizes: settings,
})
