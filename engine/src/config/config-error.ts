// What is wrong with the settings that an engine was to start with.

/** Everything that is wrong, one line each. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join("\n"))
    this.name = "ConfigError"
    this.problems = problems
  }
}
