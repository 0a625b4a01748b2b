// An instance's life. COMPLETED and CANCELLED never change; FAILED changes only by a manual, audited retry.
import type { Machine } from "../kernel/machine.ts"

export type InstanceStatus = "ACTIVE" | "WAITING" | "COMPLETED" | "FAILED" | "CANCELLED"

export const instanceMachine: Machine<InstanceStatus> = {
  name: "instance",
  states: ["ACTIVE", "WAITING", "COMPLETED", "FAILED", "CANCELLED"],
  terminal: ["COMPLETED", "FAILED", "CANCELLED"],
  moves: [
    ["ACTIVE", "WAITING", "advance"],
    ["WAITING", "ACTIVE", "advance"],
    ["ACTIVE", "COMPLETED", "advance"],
    ["WAITING", "COMPLETED", "advance"],
    ["ACTIVE", "FAILED", "fail"],
    ["WAITING", "FAILED", "fail"],
    ["ACTIVE", "CANCELLED", "cancel"],
    ["WAITING", "CANCELLED", "cancel"],
    ["FAILED", "ACTIVE", "retry"],
    ["FAILED", "WAITING", "retry"],
    ["FAILED", "COMPLETED", "retry"],
    ["FAILED", "FAILED", "retry"],
  ],
}

export const isTerminal = (status: InstanceStatus): boolean => instanceMachine.terminal.includes(status)
