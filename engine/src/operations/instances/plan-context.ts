// What the planners take from the outside: the moment, the dice and the limits.
import type { PlanContext } from "../../model/instances/draft.ts"
import { dispatchingOf } from "../jobs/dispatch/dispatching.ts"
import type { Kernel } from "../kernel/kernel.ts"

export const planContext = (kernel: Kernel, nowMs: number): PlanContext => ({
  nowMs,
  random: kernel.random,
  maxLostLeases: kernel.settings.maxLostLeases,
  sizes: kernel.settings,
  via: dispatchingOf(kernel).via,
})
