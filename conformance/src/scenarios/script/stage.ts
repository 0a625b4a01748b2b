// Where a script is played: the programs it tells what to do, the REST door it reads, and what it has learned so far.
import type { Program } from "../control/program.ts"

export interface Stage {
  /** Answers that were kept, by name. */
  readonly values: Map<string, unknown>
  /** Tells a program, or that of the cell. */
  tell(by: string | undefined, command: string, args: object): Promise<unknown>
  /** A program that the script has started. */
  program(name: string): Program
  /** Asks over REST, as the suite itself. */
  rest(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }>
}

/** The same stage with one more name, which only those who are given it know. */
export const withValue = (stage: Stage, name: string, value: unknown): Stage => ({
  ...stage,
  values: new Map([...stage.values, [name, value]]),
})
