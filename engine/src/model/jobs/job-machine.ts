// A job's life on the wire, and how the live row tells it: held and ready are UNLOCKED, leased is LOCKED, the rest has no row.
import type { Machine } from "../kernel/machine.ts"

export type JobStatus = "UNLOCKED" | "LOCKED" | "COMPLETED" | "FAILED" | "CANCELLED"

export const jobMachine: Machine<JobStatus> = {
  name: "job",
  states: ["UNLOCKED", "LOCKED", "COMPLETED", "FAILED", "CANCELLED"],
  terminal: ["COMPLETED", "FAILED", "CANCELLED"],
  moves: [
    ["UNLOCKED", "LOCKED", "claim"],
    ["LOCKED", "UNLOCKED", "retry or lost lease"],
    ["LOCKED", "COMPLETED", "complete"],
    ["LOCKED", "FAILED", "fail"],
    ["UNLOCKED", "COMPLETED", "late complete"],
    ["UNLOCKED", "FAILED", "late fail"],
    ["UNLOCKED", "CANCELLED", "close scope"],
    ["LOCKED", "CANCELLED", "close scope"],
  ],
}

export const LIVE_JOB_STATUSES = ["held", "ready", "leased"] as const
export type LiveJobStatus = (typeof LIVE_JOB_STATUSES)[number]
