// The strict parser of definitions: everything that is wrong with a document is said at once, each fault with its path and a hint.
import type { Violation } from "../../support/errors.ts"
import { isObject } from "../../support/json.ts"
import { checkDefinition } from "./check-definition.ts"
import { checkJson } from "./check-json.ts"
import { checkStructure } from "./check-structure.ts"
import type { Report } from "./checks.ts"
import type { BoundaryEvent, Definition, Step } from "./definition.ts"

export type ParsedDefinition = { readonly definition: Definition } | { readonly violations: readonly Violation[] }

const MAX_STEPS = 1000
const MAX_VIOLATIONS = 1000

export function parseDefinition(value: unknown): ParsedDefinition {
  const violations: Violation[] = []
  const report: Report = (path, message, hint) => violations.push({ path, message, hint })
  checkJson(value, "$", report)
  checkDefinition(value, "$", report)
  if (isObject(value)) checkSteps(value, report)
  return violations.length === 0 ? { definition: cleaned(value as Uploaded) } : { violations: capped(violations) }
}

function checkSteps({ steps, execution }: Record<string, unknown>, report: Report): void {
  if (Array.isArray(steps) && steps.length <= MAX_STEPS) {
    checkStructure(steps, "$.steps", execution === "steplist", report)
  }
}

type Uploaded = Definition & { readonly version?: unknown; readonly uploadedAt?: unknown }

function cleaned({ version: _version, uploadedAt: _uploadedAt, ...definition }: Uploaded): Definition {
  return { ...definition, steps: definition.steps.map(withExplicitEvents) }
}

/** A timer that does not say so is not interrupting; an error always is. */
function withExplicitEvents(step: Step): Step {
  if (step.boundaryEvents === undefined) return step
  return { ...step, boundaryEvents: step.boundaryEvents.map(explicit) }
}

const explicit = (event: BoundaryEvent): BoundaryEvent =>
  event.type === "ERROR" ? { ...event, interrupting: true } : { ...event, interrupting: event.interrupting ?? false }

function capped(violations: readonly Violation[]): readonly Violation[] {
  if (violations.length <= MAX_VIOLATIONS) return violations
  const message = `${violations.length - MAX_VIOLATIONS} further violations`
  return [...violations.slice(0, MAX_VIOLATIONS), { path: "$", message, hint: "correct the first ones and try again" }]
}
