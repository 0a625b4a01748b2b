// What runs while processes die: forks, timers of both kinds, a user task, a wait, retries, and handlers that leave a mark.
import { setTimeout as sleep } from "node:timers/promises"
import type { Random } from "./random.ts"

const service = (id: string, nextStep?: string, more: object = {}) => ({
  id,
  name: id,
  type: "SERVICE_TASK",
  jobType: id,
  retryCount: 8,
  ...(nextStep ? { nextStep } : {}),
  ...more,
})

const boundary = (duration: string, interrupting: boolean, targetStepId: string) => ({
  boundaryEvents: [{ type: "TIMER", duration, interrupting, targetStepId }],
})

/** reserve → (pack | approve, by a person or else by a timer | ship, with a reminder) → join → confirm → paid → end, then the next. */
export const order = {
  id: "chaos-order",
  name: "An order under fire",
  autoStartNextWorkflow: true,
  nextWorkflowId: "chaos-invoice",
  steps: [
    service("reserve", "fork"),
    {
      id: "fork",
      name: "fork",
      type: "PARALLEL_GATEWAY",
      parallelNextSteps: ["pack", "approve", "ship"],
      joinStep: "join",
    },
    service("pack", "join"),
    { id: "approve", name: "approve", type: "USER_TASK", nextStep: "join", ...boundary("PT2S", true, "escalate") },
    service("escalate", "join"),
    service("ship", "join", boundary("PT1S", false, "remind")),
    service("remind"),
    { id: "join", name: "join", type: "JOIN_GATEWAY", nextStep: "confirm" },
    service("confirm", "paid"),
    { id: "paid", name: "paid", type: "WAIT", nextStep: "end" },
    { id: "end", name: "end", type: "END" },
  ],
}

export const invoice = { id: "chaos-invoice", name: "What follows an order", steps: [service("invoice")] }

/** Kills are many: a job that loses its worker is not given up for it. */
export const MOST_LOST_LEASES = 50

export const JOB_TYPES = ["reserve", "pack", "escalate", "ship", "remind", "confirm", "invoice"]

export interface Delivery {
  readonly id: string
  readonly stepId: string
  readonly attempt: number
  readonly idempotencyKey: string
}

export interface Means {
  readonly random: Random
  readonly mark: (job: Delivery) => Promise<void>
  /** What this kind of worker takes for an error that no retry can mend. */
  readonly hopeless: new (
    message: string,
  ) => Error
}

type Handle = (job: Delivery) => Promise<{ [step: string]: number }>

/** Leaves its mark first, then works, then may fail: what it returns says which delivery it was. */
export function handlersOf({ random, mark, hopeless: Hopeless }: Means): Record<string, Handle> {
  const handle = async (job: Delivery) => {
    await mark(job)
    await sleep(random.chance(0.01) ? 2_500 : random.between(1, 40))
    if (random.chance(0.1)) throw new Error(`unlucky ${random.between(1, 1_000)}`)
    if (job.stepId === "confirm" && random.chance(0.02)) throw new Hopeless("hopeless")
    return { [job.stepId]: job.attempt }
  }
  return Object.fromEntries(JOB_TYPES.map((type) => [type, handle]))
}
