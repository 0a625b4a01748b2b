// How often a step of a run has been tried, by the attempts at the run that ended at one of its steps. Waits end no attempt.

/** Attempts at a run that ended at one step. A worker that was lost has not said at which: that one is null. */
export interface AttemptsAtStep {
  readonly step: string | null
  readonly attempts: number
  /** Without those whose worker was lost. */
  readonly failures: number
}

export interface Tries {
  /** The number of the attempt that begins now: 1, 2, … */
  readonly attempt: number
  /** How often the step itself has failed. Attempts whose worker was lost do not count. */
  readonly failures: number
}

export const FIRST_TRY: Tries = { attempt: 1, failures: 0 }

/**
 * Where steps are recorded: a step is tried again only after it has ended an attempt. A lost worker was at the step that is tried first
 * now, for all before it are on record.
 */
export function triesOnRecord(
  names: readonly string[],
  ended: readonly AttemptsAtStep[],
  { isFirst }: { readonly isFirst: boolean },
): Tries {
  const own = ended.filter(({ step }) => (step === null ? isFirst : names.includes(step)))
  return { attempt: 1 + sum(own, "attempts"), failures: sum(own, "failures") }
}

/** Where each attempt begins at the top: every step up to the one at which an attempt ended was tried in it. */
export function triesFromTop(
  at: number,
  ended: readonly AttemptsAtStep[],
  steps: readonly (readonly string[])[],
): Tries {
  // A step that the list no longer has, or that is not known: it may have been behind this one.
  const place = (step: string | null) => steps.findIndex((names) => step !== null && names.includes(step))
  const reached = ended.filter(({ step }) => place(step) === -1 || place(step) >= at)
  return {
    attempt: 1 + sum(reached, "attempts"),
    failures: sum(
      reached.filter(({ step }) => place(step) === at),
      "failures",
    ),
  }
}

const sum = (ended: readonly AttemptsAtStep[], count: "attempts" | "failures"): number =>
  ended.reduce((total, each) => total + each[count], 0)
