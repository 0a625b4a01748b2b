// The job types that a runner asks for: those that it has handlers for, but for those that its key may not work on.
import { MillraceError } from "../calls/errors.ts"
import type { Logger } from "../calls/logger.ts"

interface AllowedTypesOptions {
  readonly handlers: { jobTypes(): readonly string[] }
  readonly logger: Logger
}

export class AllowedTypes {
  readonly #o: AllowedTypesOptions
  readonly #refused = new Set<string>()

  constructor(options: AllowedTypesOptions) {
    this.#o = options
  }

  get names(): readonly string[] {
    return this.#o.handlers.jobTypes().filter((name) => !this.#refused.has(name))
  }

  /** From the refusal of a question for `asked`. True where others are left, which may be asked for at once. */
  learn(error: unknown, asked: readonly string[]): boolean {
    const refused = refusedIn(error, asked)
    if (refused.length === 0 || asked.every((name) => refused.includes(name))) return false
    for (const name of refused) this.#refused.add(name)
    this.#o.logger.warn(
      { jobTypes: refused },
      "the key may not work on these job types: the runner works on the others",
    )
    return true
  }
}

/** An older engine does not tell which; then nothing is left out. */
function refusedIn(error: unknown, asked: readonly string[]): readonly string[] {
  if (!(error instanceof MillraceError) || error.code !== "forbidden") return []
  return (error.details ?? []).flatMap(({ path }) => asked[Number(/\bjobTypes\[(\d+)\]$/.exec(path)?.[1])] ?? [])
}
