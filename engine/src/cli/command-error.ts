// A command that ends with a line for its caller instead of a stack, and with the exit code that says what kind of end it was.

/**
 * 1: refused, not reachable or failed. 2: called wrongly, nothing was sent. 3 and 4: the instance that was watched FAILED or was
 * CANCELLED. 130: watching was broken off before the instance had ended, as a shell reports Ctrl-C.
 */
export type ExitCode = 1 | 2 | 3 | 4 | 130

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
