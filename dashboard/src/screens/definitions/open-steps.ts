// How many steps are open where, folded from the engine's answer for the version that is shown.
import { type Activity, type Definition, OLDER_THAN, type Step } from "../../api/definitions.ts"
import type { StepMark } from "../../graph/step-node.tsx"
import { kindWords } from "../../graph/step-type.tsx"
import { count } from "../../kit/numbers.ts"

export interface OpenSteps {
  readonly open: number
  readonly older: number
}

const NONE: OpenSteps = { open: 0, older: 0 }

export type OpenByStep = ReadonlyMap<string, OpenSteps>

export const openByStep = (activity: Activity | undefined, version: number): OpenByStep =>
  new Map(activity?.items.filter((item) => item.version === version).map((item) => [item.stepId, item]))

export const openAt = (open: OpenByStep, stepId: string): OpenSteps => open.get(stepId) ?? NONE

/** The open steps of each version, all steps together. */
export function openByVersion(activity: Activity | undefined): ReadonlyMap<number, OpenSteps> {
  const sums = new Map<number, OpenSteps>()
  for (const { version, open, older } of activity?.items ?? []) {
    const before = sums.get(version) ?? NONE
    sums.set(version, { open: before.open + open, older: before.older + older })
  }
  return sums
}

export const olderText = (older: number): string => `${count(older)} over ${OLDER_THAN.words}`

/** Every step gets one line, so that the drawing does not move when the numbers do. */
export const marksOf = ({ steps }: Definition, open: OpenByStep): Readonly<Record<string, StepMark>> =>
  Object.fromEntries(steps.map((step) => [step.id, markOf(openAt(open, step.id), step)]))

function markOf({ open, older }: OpenSteps, step: Step): StepMark {
  if (open === 0) return { tone: "calm", lines: [kindWords(step)] }
  if (older === 0) return { tone: "info", lines: [`${count(open)} open`] }
  return { tone: "warn", lines: [`${count(open)} open, ${olderText(older)}`] }
}
