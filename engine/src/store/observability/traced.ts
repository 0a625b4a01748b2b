// What is stored with the trace of the caller that asked for it.

export interface Traced {
  /** The format is that of `support/trace-context.ts`. Undefined where the caller sent no trace. */
  readonly trace?: string | undefined
}
