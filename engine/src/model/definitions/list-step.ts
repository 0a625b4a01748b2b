// A step list is one job: what the planner sees of it is a single step, named like the definition, that a worker runs from end to end.
import type { Definition, RetryPolicy, ServiceTask } from "../definition.ts"

/** Only errors that a step calls retryable are tried again; the worker says when. */
const DEFAULT_RETRY: RetryPolicy = { retries: 20, base: "PT30S", factor: 2, cap: "PT1H", jitter: "partial" }

export function listStep({ id, name, steps }: Definition): ServiceTask {
  const first = steps.find((step): step is ServiceTask => step.type === "SERVICE_TASK")
  return { id, name, type: "SERVICE_TASK", jobType: id, retry: first?.retry ?? DEFAULT_RETRY }
}
