// The workflows of a simulation: few steps each, and every kind of step that can race with another. Their times are short.
import type { JsonObject } from "../../support/json.ts"
import { end, service, step, workflow } from "../../test-support/definitions.ts"

const RETRY: JsonObject = { retry: { retries: 2, base: "PT0.5S", jitter: "none" } }
const timer = (duration: string, interrupting: boolean, targetStepId: string): JsonObject => ({
  type: "TIMER",
  duration,
  interrupting,
  targetStepId,
})
const ON_ERROR = (targetStepId: string): JsonObject => ({ type: "ERROR", targetStepId })

export const WORKFLOWS: readonly JsonObject[] = [
  workflow("linear", [service("a", "b", RETRY), service("b", "end", RETRY), end()], { events: true }),
  workflow("forked", [
    step("PARALLEL_GATEWAY", "fork", { parallelNextSteps: ["a", "b"], joinStep: "join" }),
    service("a", "c", RETRY),
    service("c", "join"),
    service("b", "join", RETRY),
    step("JOIN_GATEWAY", "join", { nextStep: "d" }),
    service("d", "end"),
    end(),
  ]),
  workflow("human", [
    service("a", "task"),
    step("USER_TASK", "task", { nextStep: "b", boundaryEvents: [timer("PT3S", false, "c")] }),
    service("b", "end"),
    service("c"),
    end(),
  ]),
  workflow("waiting", [
    step("WAIT", "wait", { nextStep: "a", boundaryEvents: [timer("PT4S", true, "b")] }),
    service("a", "end"),
    service("b", "end"),
    end(),
  ]),
  workflow("guarded", [
    service("a", "b", { ...RETRY, boundaryEvents: [timer("PT5S", true, "c"), ON_ERROR("d")] }),
    service("b", "end"),
    service("c", "end"),
    service("d", "end"),
    end(),
  ]),
  workflow("chained", [service("a", "end"), end()], { autoStartNextWorkflow: true, nextWorkflowId: "linear" }),
]

/** The job types of steps. Those of standalone jobs are below. */
export const STEP_TYPES = ["a", "b", "c", "d"] as const
export const JOB_TYPES = ["mail", "report"] as const
