// Workflows as JSON definitions: every kind of element has a step that the strict parser lets through.
import { expect, test } from "vitest"
import { parsed } from "../../model/definitions/fixtures.ts"
import { bestEffort, sleep, step, userTask, waitForSignal } from "./elements.ts"
import { workflow } from "./workflow.ts"

const createAccount = () => ({ patientUuid: "p-1" })
const attachCard = () => ({ cardId: "c-1" })
const checkout = () => {}
const RETRY = { retries: 20, base: "PT30S", factor: 2, cap: "PT1H", jitter: "partial" }

test("A-17: a restart list is its steps in order, each a job of the workflow's type", () => {
  const definition = workflow("onboarding", { steps: [createAccount, bestEffort(attachCard), checkout] }).toDefinition()
  expect(parsed(definition)).toEqual(definition)
  expect(definition).toEqual({
    id: "onboarding",
    name: "onboarding",
    execution: "steplist",
    recover: "restart",
    steps: [
      { id: "createAccount", name: "createAccount", type: "SERVICE_TASK", jobType: "onboarding", retry: RETRY },
      { id: "attachCard", name: "attachCard", type: "SERVICE_TASK", jobType: "onboarding", onError: "continue" },
      { id: "checkout", name: "checkout", type: "SERVICE_TASK", jobType: "onboarding" },
    ],
    metadata: { form: "list", claim: "lease", retries: 20 },
  })
})

const everything = workflow("everything", {
  recover: "resume",
  retry: { retries: "unlimited" },
  priority: "high",
  deadline: "P30D",
  retain: "P90D",
  events: true,
  steps: [
    waitForSignal("paid", { within: "P3D", onTimeout: "continue", as: "payment" }),
    step("bookVisit", createAccount, { was: ["book", "reserve"] }),
    sleep("PT0.5S"),
    userTask({
      name: "approve",
      assignee: "ada",
      group: "managers",
      form: { properties: { approved: { type: "boolean" } } },
      dueIn: "P1D",
      within: "P7D",
    }),
    userTask({ name: "end" }),
    waitForSignal("shipped"),
  ],
})

test("a wait that goes to a step when it is late has a timer at its boundary", () => {
  const late = { within: "1h", onTimeout: { goTo: "close" } } as const
  const steps = [waitForSignal("paid", late), userTask({ name: "review", ...late }), step("close", checkout)] as const
  const definition = workflow("late", { recover: "resume", steps: [...steps] }).toDefinition()
  expect(parsed(definition)).toEqual(definition)
  const boundaryEvents = [{ type: "TIMER", duration: "PT1H", interrupting: true, targetStepId: "close" }]
  expect(definition.steps.slice(0, 2)).toEqual([
    { id: "paid", name: "paid", type: "WAIT", nextStep: "review", boundaryEvents },
    { id: "review", name: "review", type: "USER_TASK", boundaryEvents },
  ])
})

test("every kind of element is a step of the definition", () => {
  const definition = everything.toDefinition()
  expect(parsed(definition)).toEqual(definition)
  expect(definition.steps).toEqual([
    wait("payment", "bookVisit", "P3D"),
    {
      id: "bookVisit",
      name: "bookVisit",
      type: "SERVICE_TASK",
      jobType: "everything",
      retry: { ...RETRY, retries: 10_000 },
    },
    wait("sleep:PT0.5S", "approve", "PT0.5S"),
    {
      id: "approve",
      name: "approve",
      type: "USER_TASK",
      assignee: "ada",
      assigneeGroup: "managers",
      form: { properties: { approved: { type: "boolean" } } },
      dueIn: "P1D",
      timeout: { total: "P7D" },
      onError: "fail",
    },
    { id: "end", name: "end", type: "USER_TASK" },
    wait("shipped", "end:"),
    { id: "end:", name: "End", type: "END" },
  ])
})

test("what a definition has no field for is in its metadata", () => {
  const { metadata, ...said } = everything.toDefinition()
  expect(said).toMatchObject({ priority: "high", deadline: "P30D", retain: "P90D", events: true })
  expect(metadata).toEqual({
    form: "list",
    claim: "lease",
    retries: "unlimited",
    retried: "all",
    elements: [
      { id: "payment", kind: "signal", signal: "paid" },
      { id: "bookVisit", was: ["book", "reserve"] },
      { id: "sleep:PT0.5S", kind: "sleep", duration: "PT0.5S" },
      { id: "shipped", kind: "signal", signal: "shipped" },
    ],
  })
})

test("a list of waits alone has no step to carry the retries, which stay in the metadata", () => {
  const definition = workflow("nap", { recover: "resume", steps: [sleep("PT1H")] }).toDefinition()
  expect(parsed(definition)).toEqual(definition)
  expect(definition.steps.map(({ type }) => type)).toEqual(["WAIT", "END"])
})

test("the function form is one step, called like the workflow", () => {
  const definition = workflow("billing", { retry: { retries: 3 }, priority: "critical" }, async () => 1).toDefinition()
  expect(parsed(definition)).toEqual(definition)
  expect(definition).toMatchObject({ execution: "steplist", recover: "resume", priority: "critical" })
  expect(definition.steps).toEqual([
    { id: "billing", name: "billing", type: "SERVICE_TASK", jobType: "billing", retry: { ...RETRY, retries: 3 } },
  ])
  expect(definition.metadata).toEqual({ form: "function", claim: "lease", retries: 3, retried: "all" })
})

test("a list of a thousand steps is a definition, one of more is refused where it is written", () => {
  const steps = (count: number) => Array.from({ length: count }, (_, at) => step(`step${at}`, () => {}))
  expect(workflow("long", { steps: steps(1000) }).toDefinition().steps).toHaveLength(1000)
  expect(() => workflow("longer", { steps: steps(1001) })).toThrow("workflow longer: $.steps must have at most 1000")
})

function wait(id: string, nextStep: string, total?: string) {
  const limit = total === undefined ? {} : { timeout: { total }, onError: "continue" }
  return { id, name: id, type: "WAIT", nextStep, ...limit }
}

test("a definition has ISO-8601 durations, however they were written", () => {
  const spelt = (written: Readonly<Record<"limit" | "nap" | "kept", string>>) =>
    workflow("spelt", {
      recover: "resume",
      deadline: written.limit,
      retain: written.kept,
      steps: [
        createAccount,
        waitForSignal("paid", { within: written.limit }),
        sleep(written.nap, { name: "nap" }),
        userTask({ name: "approve", dueIn: written.nap, within: written.limit }),
      ],
    }).toDefinition()
  const definition = spelt({ limit: "90m", nap: "0.5s", kept: "4w" })
  expect(parsed(definition)).toEqual(definition)
  expect(definition).toEqual(spelt({ limit: "PT90M", nap: "PT0.5S", kept: "P28D" }))
  expect(sleep("10m")).toMatchObject({ name: "sleep:10m", duration: "PT10M" })
})
