// The trace contexts of a statement's rows.

export interface Traced {
  /** As `support/trace-context.ts` has it; undefined where nobody traces. */
  readonly trace?: string | undefined
}

/** Null where none has one: `unnest` fills up what is missing, so that work which nobody traces sends nothing more than before. */
export const traceColumn = (rows: readonly Traced[]): (string | null)[] | null =>
  rows.some((row) => row.trace !== undefined) ? rows.map((row) => row.trace ?? null) : null
