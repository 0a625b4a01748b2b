// What a caller reaches through something else: a schedule starts what it names, a dead letter belongs to what has died.
import { forbidden } from "../../support/errors.ts"
import type { SCOPES } from "./scopes.ts"

type Scope = (typeof SCOPES)[number]
type Act = "read" | "write"

/** Besides the scope of its route a call needs the scope of what it reaches. */
const REACHED = {
  instance: { read: "instances:read", write: "instances:write" },
  job: { read: "jobs:read", write: "jobs:write" },
  task: { read: "tasks:read", write: "tasks:write" },
} as const satisfies Readonly<Record<string, Readonly<Record<Act, Scope>>>>

export type Reached = keyof typeof REACHED

/** The letter of a step is its instance's: the payload are the instance's variables, a replay retries it. */
export const reachedByLetter = ({ source }: { readonly source: "job" | "step" }): Reached =>
  source === "step" ? "instance" : "job"

/** What its ticks start, with its input. */
export const reachedBySchedule = ({ definitionId }: { readonly definitionId?: string | undefined }): Reached =>
  definitionId === undefined ? "job" : "instance"

/** How far the scopes of a caller go. */
export class Reach {
  readonly #scopes: readonly string[]

  constructor(scopes: readonly string[]) {
    this.#scopes = scopes
  }

  may(act: Act, reached: Reached): boolean {
    return this.#scopes.includes("admin") || this.#scopes.includes(REACHED[reached][act])
  }

  /** Throws `forbidden`. */
  must(act: Act, reached: Reached): void {
    if (this.may(act, reached)) return
    throw forbidden(`this key has no scope ${REACHED[reached][act]}, which what this would reach needs`)
  }
}

/** The reach of the engine itself, and of a caller in the same process. */
export const EVERYTHING = new Reach(["admin"])
