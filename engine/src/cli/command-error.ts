// A command that ends with a line for its caller instead of a stack: refused or failed (1), or called wrongly (2).

export type ExitCode = 1 | 2

export class CommandError extends Error {
  override name = "CommandError"
  readonly exitCode: ExitCode

  constructor(message: string, exitCode: ExitCode = 1) {
    super(message)
    this.exitCode = exitCode
  }
}

export const calledWrongly = (message: string): CommandError => new CommandError(message, 2)
