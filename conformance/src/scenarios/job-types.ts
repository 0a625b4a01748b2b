// The job types that scenarios name anywhere: in definitions, in handlers, and in what their scripts send.
import type { Scenario } from "./scenario.ts"

export function jobTypesOf(scenarios: readonly Scenario[]): string[] {
  const found = new Set<string>()
  for (const { definitions, handlers, script } of scenarios) collect({ definitions, handlers, script }, found)
  return [...found].filter(canHaveTopic).sort()
}

function collect(value: unknown, found: Set<string>): void {
  if (typeof value !== "object" || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    if (name === "jobType" && typeof inner === "string") found.add(inner)
    if (name === "handlers") for (const jobType of Object.keys(inner as object)) found.add(jobType)
    if (name === "call" && inner === "enqueue") found.add((value as { with: { type: string } }).with.type)
    collect(inner, found)
  }
}

/** Scenarios also send what is refused. */
const canHaveTopic = (jobType: string): boolean => /^[A-Za-z0-9._-]{1,200}$/.test(jobType)
