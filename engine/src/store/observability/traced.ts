// What is stored with the trace of the caller that asked for it.

export interface Traced {
  /** As `support/trace-context.ts` has it; undefined where the caller sent no trace. */
  readonly trace?: string | undefined
}
