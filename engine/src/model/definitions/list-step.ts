// A step list is one job: what the planner sees of it is a single step, named like the definition, that a worker runs from end to end.
import type { Definition, RetryPolicy, ServiceTask } from "./definition.ts"

/** Only errors that a step calls retryable are tried again; the worker says when. */
const DEFAULT_RETRY: RetryPolicy = { retries: 20, base: "PT30S", factor: 2, cap: "PT1H", jitter: "partial" }

export function listStep({ id, name, steps }: Definition): ServiceTask {
  const tasks = steps.filter((step): step is ServiceTask => step.type === "SERVICE_TASK")
  // One job stands in one queue: the downstream of the step that names one holds for the whole list.
  const downstream = tasks.find((task) => task.downstream !== undefined)?.downstream
  return {
    id,
    name,
    type: "SERVICE_TASK",
    jobType: id,
    retry: tasks[0]?.retry ?? DEFAULT_RETRY,
    ...(downstream === undefined ? {} : { downstream }),
  }
}
