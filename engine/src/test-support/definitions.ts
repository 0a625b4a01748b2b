// Small definitions that many tests use.
import type { JsonObject } from "../support/json.ts"

export const service = (id: string, nextStep?: string, more: JsonObject = {}): JsonObject => ({
  id,
  name: id,
  type: "SERVICE_TASK",
  jobType: id,
  ...(nextStep ? { nextStep } : {}),
  ...more,
})

export const step = (type: string, id: string, more: JsonObject = {}): JsonObject => ({ id, name: id, type, ...more })

export const end = (id = "end"): JsonObject => step("END", id)

export const workflow = (id: string, steps: readonly JsonObject[], more: JsonObject = {}): JsonObject => ({
  id,
  name: id,
  steps,
  ...more,
})

/** a → b → end. */
export const linear = (id = "linear"): JsonObject => workflow(id, [service("a", "b"), service("b", "end"), end()])

/** fork → (a → a2 | b) → join → after → end. */
export const forked = (id = "forked"): JsonObject =>
  workflow(id, [
    step("PARALLEL_GATEWAY", "fork", { parallelNextSteps: ["a", "b"], joinStep: "join" }),
    service("a", "a2"),
    service("a2", "join"),
    service("b", "join"),
    step("JOIN_GATEWAY", "join", { nextStep: "after" }),
    service("after", "end"),
    end(),
  ])
