// The key of a job, and the id by which the wire knows it: that of its step execution, or a ULID of its own where it stands alone.
import { type ExecutionKey, executionId, isUlid, parseExecutionId } from "./ids.ts"

export type JobKey = { readonly kind: "standalone"; readonly id: string } | StepKey

export type StepKey = { readonly kind: "step" } & ExecutionKey

export const jobIdOf = (key: JobKey): string =>
  key.kind === "standalone" ? key.id : executionId(key.instanceId, key.execution)

/** Strict: anything that `jobIdOf` could not have made is undefined. Executions of steps are counted from 1. */
export function parseJobId(id: string): JobKey | undefined {
  if (isUlid(id)) return { kind: "standalone", id }
  const key = parseExecutionId(id)
  return key && key.execution > 0 ? { kind: "step", ...key } : undefined
}
