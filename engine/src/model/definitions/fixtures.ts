// Definitions for tests: short ways to write steps, and one document with every field there is.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${…}` is the expression notation
import type { Definition } from "./definition.ts"
import { parseDefinition } from "./parse-definition.ts"

export type Raw = Record<string, unknown>

const step =
  (type: string) =>
  (id: string, more: Raw = {}): Raw => ({ id, name: `Step ${id}`, type, ...more })
export const end = step("END")
export const join = step("JOIN_GATEWAY")
export const wait = step("WAIT")
export const user = step("USER_TASK")
export const decision = step("DECISION")
export const transformation = step("TRANSFORMATION")
export const service = (id: string, nextStep?: string, more: Raw = {}): Raw =>
  step("SERVICE_TASK")(id, { jobType: `${id}-job`, ...(nextStep === undefined ? {} : { nextStep }), ...more })
export const fork = (id: string, parallelNextSteps: string[], joinStep: string): Raw =>
  step("PARALLEL_GATEWAY")(id, { parallelNextSteps, joinStep })
export const timer = (targetStepId: string, interrupting: boolean, duration = "PT5S"): Raw => ({
  type: "TIMER",
  duration,
  interrupting,
  targetStepId,
})
export const caught = (targetStepId: string): Raw => ({ type: "ERROR", targetStepId })

export const document = (steps: Raw[], more: Raw = {}): Raw => ({ id: "order", name: "Order", steps, ...more })

/** `path message` of each violation. */
export function faults(value: unknown): string[] {
  const parsed = parseDefinition(value)
  return "violations" in parsed ? parsed.violations.map(({ path, message }) => `${path} ${message}`) : []
}

export function parsed(value: unknown): Definition {
  const result = parseDefinition(value)
  if ("violations" in result) throw new Error(JSON.stringify(result.violations))
  return result.definition
}

/** Every type of step and every field. */
export const everything: Raw = document(
  [
    service("charge", "review", {
      description: "Charges the card",
      delegateClass: "com.example.Charge",
      retry: { retries: 3, base: "PT1S", factor: 3, cap: "PT1M", jitter: "full" },
      conditionalNextSteps: { "amount > 100": "review", "${paid}": "split" },
      timeout: { run: "PT30S", queue: "PT10M", total: "P1D" },
      onError: "continue",
      priority: "high",
      downstream: "psp.eu",
      outputSchema: { properties: { paid: { type: "boolean" } }, required: ["paid"] },
      boundaryEvents: [timer("late", true, "PT2H"), timer("remind", false, "PT1H")],
    }),
    user("review", {
      jobType: "approvals",
      conditionalNextSteps: { "!approved": "late" },
      nextStep: "split",
      assignee: "ada",
      assigneeGroup: "managers",
      dueIn: "P2D",
      form: { properties: { approved: { type: "boolean", title: "Approved?" } } },
      outputSchema: { required: ["approved"] },
      timeout: { total: "P7D" },
      onError: "fail",
      boundaryEvents: [{ ...caught("late"), interrupting: true }],
    }),
    fork("split", ["ship", "compute"], "both"),
    service("ship", "both", { retryCount: 2 }),
    transformation("compute", {
      transformations: { total: "${amount * 2}", at: "${now()}", note: "done" },
      nextStep: "signal",
    }),
    wait("signal", {
      nextStep: "both",
      keepEarly: true,
      duration: "PT12H",
      timeout: { total: "P1D" },
      onError: "continue",
      boundaryEvents: [],
    }),
    join("both", { nextStep: "choose" }),
    decision("choose", { conditionalNextSteps: { "total > 10": "done", true: "late" } }),
    end("done"),
    end("late"),
    service("remind"),
  ],
  {
    description: "Everything",
    autoStartNextWorkflow: true,
    nextWorkflowId: "shop:after-sale",
    metadata: { owner: "shop", tags: ["a"] },
    inputSchema: { properties: { amount: { type: "number" } }, required: ["amount"] },
    priority: "critical",
    execution: "graph",
    deadline: "P30D",
    retain: "P90D",
    events: true,
  },
)
