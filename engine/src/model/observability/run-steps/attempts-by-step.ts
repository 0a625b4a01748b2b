// Attempts at a run that its worker has not reported on, because it was lost or took too long: at which step, and since when.
import type { AttemptFact, ClosedExecution, RecordedFact } from "./run-facts.ts"

interface Places {
  readonly recorded: readonly RecordedFact[]
  /** Where the run is, has failed or comes to next. */
  readonly otherwise: string
}

/** A worker that was lost has not said at which step: it was the first that ended later, or the one where the run stands or has failed. */
export function byStep(
  attempts: readonly AttemptFact[],
  { recorded, otherwise }: Places,
): ReadonlyMap<string, readonly AttemptFact[]> {
  const found = new Map<string, AttemptFact[]>()
  const later = recorded.toSorted((a, b) => a.endedAt - b.endedAt)
  for (const one of attempts.toSorted((a, b) => a.endedAt - b.endedAt)) {
    const step = one.step ?? later.find(({ endedAt }) => endedAt > one.endedAt)?.name ?? otherwise
    const told = one.step === null ? sinceItsStep(one, later) : one
    const there = found.get(step)
    if (there) there.push(told)
    else found.set(step, [told])
  }
  return found
}

/** The attempt may have done other steps before the one at which it was lost. */
function sinceItsStep(one: AttemptFact, recorded: readonly RecordedFact[]): AttemptFact {
  const startedAt = lastEnd(recorded, one.endedAt, one.detail.startedAt)
  return startedAt === undefined ? one : { ...one, detail: { ...one.detail, startedAt } }
}

/** When the last step before a moment ended, but not before the attempt began. */
export const lastEnd = (
  recorded: readonly RecordedFact[],
  beforeMs: number,
  startedAt: number | undefined,
): number | undefined =>
  startedAt === undefined
    ? undefined
    : recorded.reduce((last, { endedAt }) => (endedAt <= beforeMs ? Math.max(last, endedAt) : last), startedAt)

/** The attempt that ended the execution, where that was a worker that was lost: both were written in one moment. */
export const silentEnd = (
  { execution, endedAt, status }: ClosedExecution,
  attempts: readonly AttemptFact[],
): AttemptFact | undefined =>
  status === "FAILED"
    ? attempts.find((one) => one.outcome === "lost" && one.execution === execution && one.endedAt === endedAt)
    : undefined
