// The one error an expression can end in: it does not parse, or it cannot be evaluated. It is never a quiet `false`.

export class ExpressionError extends Error {
  /** Column in the source, from 1; only syntax errors have one. */
  readonly position: number | undefined

  constructor(message: string, position?: number) {
    super(position === undefined ? message : `${message} (at position ${position})`)
    this.name = "ExpressionError"
    this.position = position
  }
}
