// A command that ends with a line for its caller instead of a stack: refused or failed (1), or called wrongly (2).

export type ExitCode = 1 | 2

export class CommandError extends Error {
  override name = "CommandError"
  readonly exitCode: ExitCode
  /** What the engine called it, where it was the engine that refused. */
  readonly refusal: string | undefined

  constructor(message: string, exitCode: ExitCode = 1, refusal?: string) {
    super(message)
    this.exitCode = exitCode
    this.refusal = refusal
  }
}

export const calledWrongly = (message: string): CommandError => new CommandError(message, 2)
