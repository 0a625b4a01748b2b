// A step execution's life: open, then closed once. SKIPPED is the end of a step whose instance or scope ended around it.
import type { Machine } from "../kernel/machine.ts"

export type StepStatus = "RUNNING" | "COMPLETED" | "FAILED" | "SKIPPED"
export type ClosedStepStatus = Exclude<StepStatus, "RUNNING">

export const stepMachine: Machine<StepStatus> = {
  name: "step",
  states: ["RUNNING", "COMPLETED", "FAILED", "SKIPPED"],
  terminal: ["COMPLETED", "FAILED", "SKIPPED"],
  moves: [
    ["RUNNING", "COMPLETED", "complete"],
    ["RUNNING", "FAILED", "fail"],
    ["RUNNING", "SKIPPED", "close scope"],
  ],
}
