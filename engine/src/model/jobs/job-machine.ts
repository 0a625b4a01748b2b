// A job's life: where its live row stands (held, ready, leased), and how it ends. An ended job has no live row.
import type { Machine } from "../kernel/machine.ts"

export const LIVE_JOB_STATUSES = ["held", "ready", "leased"] as const
export type LiveJobStatus = (typeof LIVE_JOB_STATUSES)[number]

export type JobStatus = LiveJobStatus | "COMPLETED" | "FAILED" | "CANCELLED"

export const jobMachine: Machine<JobStatus> = {
  name: "job",
  states: [...LIVE_JOB_STATUSES, "COMPLETED", "FAILED", "CANCELLED"],
  terminal: ["COMPLETED", "FAILED", "CANCELLED"],
  moves: [
    ["held", "ready", "release"],
    ["ready", "leased", "claim"],
    ["leased", "ready", "retry, lost lease or give back"],
    ["leased", "held", "retry or lost lease that must wait"],
    ["leased", "COMPLETED", "complete"],
    ["leased", "FAILED", "fail"],
    ["leased", "CANCELLED", "cancel"],
    // The last token is good until the next claim: a report may come when the lease is over.
    ["ready", "COMPLETED", "late complete"],
    ["ready", "FAILED", "late fail"],
    ["ready", "CANCELLED", "cancel"],
    ["held", "COMPLETED", "late complete"],
    ["held", "FAILED", "late fail"],
    ["held", "CANCELLED", "cancel"],
  ],
}
