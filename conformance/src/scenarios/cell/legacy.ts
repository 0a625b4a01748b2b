// What a client from the first numbers of the contract cannot say, the suite says in its place: operators have newer tools.
import type { Definition } from "@millrace/sdk"
import type { RestCall } from "./rest-door.ts"

/** The REST call that stands in for a command; undefined when the client can say it. */
export function inItsPlace(command: string, args: Readonly<Record<string, unknown>>): RestCall | undefined {
  if (command === "uploadDefinition" && needsMore(args.definition as Definition))
    return { method: "POST", path: "/v1/definitions", body: args.definition }
  if (command === "retryStep")
    return {
      method: "POST",
      path: `/v1/instances/${args.instanceId}/steps/${args.stepId}/retry`,
      body: { variables: args.variables },
    }
  if (command === "getSteps") return { method: "GET", path: `/v1/instances/${args.id}/steps` }
  if (command === "searchInstances")
    return { method: "GET", path: `/v1/search?${new URLSearchParams(args as Record<string, string>)}` }
  return command === "enqueue" ? { method: "POST", path: "/jobs", body: args } : undefined
}

const FIRST_FIELDS = new Set(
  "id version name description autoStartNextWorkflow nextWorkflowId steps metadata".split(" "),
)
const FIRST_STEP_FIELDS = new Set(
  (
    "id name type description nextStep parallelNextSteps joinStep conditionalNextSteps transformations jobType delegateClass " +
    "retryCount boundaryEvents"
  ).split(" "),
)

const eventsOf = (step: Definition["steps"][number]) => ("boundaryEvents" in step ? (step.boundaryEvents ?? []) : [])

/** A field or an event of ours, or conditions whose order counts: a map has none. */
const needsMore = (definition: Definition): boolean =>
  Object.keys(definition).some((key) => !FIRST_FIELDS.has(key)) ||
  definition.steps.some(
    (step) =>
      Object.keys(step).some((key) => !FIRST_STEP_FIELDS.has(key)) ||
      eventsOf(step).some(({ type }) => type !== "TIMER") ||
      Object.keys("conditionalNextSteps" in step ? (step.conditionalNextSteps ?? {}) : {}).length > 1,
  )
