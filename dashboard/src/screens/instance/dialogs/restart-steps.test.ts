import { expect, test } from "vitest"
import type { Step } from "../../../api/definitions.ts"
import { restartSteps } from "./restart-steps.ts"

const step = (id: string, more: Partial<Step> = {}): Step => ({ id, name: id, type: "SERVICE_TASK", ...more })
const offered = (steps: readonly Step[], execution: "graph" | "steplist" = "graph") =>
  restartSteps({ id: "loan", steps, execution }).map(({ id }) => id)

test("a step inside a fork is not offered: the engine refuses it; the fork, its join and what is outside are", () => {
  const steps = [
    step("begin", { nextStep: "fork" }),
    step("fork", { type: "PARALLEL_GATEWAY", parallelNextSteps: ["left", "right"], joinStep: "join" }),
    step("left", {
      nextStep: "further",
      boundaryEvents: [
        { type: "TIMER", duration: "PT1S", interrupting: false, targetStepId: "remind" },
        { type: "ERROR", targetStepId: "mend" },
      ],
    }),
    step("further", { nextStep: "join" }),
    step("mend", { nextStep: "join" }),
    step("right", { nextStep: "join" }),
    step("join", { type: "JOIN_GATEWAY", nextStep: "end" }),
    step("remind"),
    step("end", { type: "END" }),
  ]
  expect(offered(steps)).toEqual(["begin", "fork", "join", "remind", "end"])
})

test("of a list each step is offered, but not the list itself", () => {
  expect(offered([step("loan"), step("one"), step("two")], "steplist")).toEqual(["one", "two"])
})
