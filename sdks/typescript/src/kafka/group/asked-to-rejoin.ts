// Tells the answer of a group that is arranged anew from a failure.

/** What is not committed by then is delivered again. */
export const isAskedToRejoin = (error: unknown): boolean =>
  Boolean((error as { findBy?: (name: string, value: unknown) => unknown } | undefined)?.findBy?.("needsRejoin", true))
