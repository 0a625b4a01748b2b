// Definitions as code: the builder gives the JSON that would be written by hand, and refuses a next step that is not there.
import { expect, test } from "vitest"
import { workflow } from "./workflow.ts"

const order = () =>
  workflow("order", { name: "Order", deadline: "P1D" })
    .serviceTask("charge", { jobType: "charge-card", retryCount: 3, nextStep: "large" })
    .decision("large", { "amount > 1000": "approve", true: "fork" })
    .userTask("approve", { assigneeGroup: "credit", nextStep: "fork" })
    .parallel("fork", { parallelNextSteps: ["pack", "bill"], joinStep: "joined" })
    .serviceTask("pack", { jobType: "pack", nextStep: "joined" })
    .transformation("bill", { transformations: { billed: true }, nextStep: "joined" })
    .join("joined", { nextStep: "paid" })
    .wait("paid", {
      nextStep: "done",
      keepEarly: true,
      duration: "PT2H",
      boundaryEvents: [
        { type: "TIMER", duration: "PT1H", interrupting: true, targetStepId: "done" },
        { type: "ERROR", targetStepId: "done" },
      ],
    })
    .end("done", { name: "Done" })

test("C-104: the JSON is what would be written by hand, in the order of the calls", () => {
  const { steps, ...head } = order().build()
  expect(head).toEqual({ id: "order", name: "Order", deadline: "P1D" })
  expect(steps.map(({ id, type }) => `${id} ${type}`)).toEqual([
    "charge SERVICE_TASK",
    "large DECISION",
    "approve USER_TASK",
    "fork PARALLEL_GATEWAY",
    "pack SERVICE_TASK",
    "bill TRANSFORMATION",
    "joined JOIN_GATEWAY",
    "paid WAIT",
    "done END",
  ])
  expect(steps[0]).toEqual({
    id: "charge",
    name: "charge",
    type: "SERVICE_TASK",
    jobType: "charge-card",
    retryCount: 3,
    nextStep: "large",
  })
  expect(steps.at(-1)).toEqual({ id: "done", name: "Done", type: "END" })
})

test("a builder is not changed by what is added to it", () => {
  const start = workflow("w").serviceTask("a", { jobType: "a" })
  start.end("b")
  expect(start.build().steps).toHaveLength(1)
})

test("a next step that is not there is refused by the compiler, and by build", () => {
  const broken = workflow("w").serviceTask("a", { jobType: "a", nextStep: "dome" }).end("done")
  // @ts-expect-error The compiler names the step that is missing.
  expect(() => broken.build()).toThrow('the step "a" goes on to "dome", which is not there: did you mean "done"?')
  const decided = workflow("w").decision("d", { "a > 1": "x" }).end("y")
  // @ts-expect-error Conditions are looked at too.
  expect(() => decided.build()).toThrow('the step "d" goes on to "x"')
})

test("names that are known at run time alone are checked by build", () => {
  const next: string = ["nowhere"].join()
  const named = workflow("w").serviceTask("a", { jobType: "a", nextStep: next })
  expect(() => named.build()).toThrow('goes on to "nowhere"')
})

test("a step that is there twice is refused", () => {
  const twice = workflow("w").end("a").end("a")
  expect(() => twice.build()).toThrow('has the step "a" twice')
})
