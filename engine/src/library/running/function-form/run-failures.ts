// Failures of a function's calls. One that the function has caught is on record before it does anything else, so that it finds it again
// at every attempt. One that the function ends with is to be done again, on record or not.
import type { RunStep } from "../../../model/instances/plan.ts"
import type { JsonValue } from "../../../support/json.ts"
import { waitAgain } from "../../authoring/wait-elements.ts"
import type { RunRecord } from "../run-record.ts"
import { describeError, type StepFailure, stackOf, stepsBehind } from "../step-failure.ts"

export class RunFailures {
  readonly #record: RunRecord
  /** Not on record: the function may end with one of them. */
  readonly #pending = new Map<string, StepFailure>()
  /** For each call that may be done again: how many calls there were when it failed. */
  readonly #failedAfter = new Map<string, number>()

  constructor(record: RunRecord) {
    this.#record = record
  }

  get arePending(): boolean {
    return this.#pending.size > 0
  }

  /** Notes the failure of a call that is on record already, or that is recorded when the function goes on. */
  note(id: string, failure: StepFailure, calls: ReadonlySet<string>): StepFailure {
    this.#failedAfter.set(id, calls.size)
    const status = this.#record.find(id)?.status
    if (status === undefined || status === "WAITING") this.#pending.set(id, failure)
    return failure
  }

  /** The function has gone on in spite of them. */
  async record(): Promise<void> {
    const failures = [...this.#pending]
    this.#pending.clear()
    for (const [name, { cause, startedAt = this.#record.now() }] of failures) {
      const detail = { stack: stackOf(cause) }
      await this.#record.add({ name, status: "FAILED", error: describeError(cause), detail, startedAt })
    }
  }

  /** The failed calls on record, to be done again. Calls after the failure are left out: the function may take another way. */
  toDoAgain(error: unknown, calls: ReadonlySet<string>): readonly RunStep[] {
    const names = stepsBehind(error).filter((name) => this.#failedAfter.has(name) && this.#record.find(name))
    return names.map((name) => ({
      ...waitAgain(this.#record, name),
      value: { left: [...calls].slice(this.#failedAfter.get(name)) },
    }))
  }
}

/** Recorded on a way that ended in a failure: that they are not asked for again says nothing about the code. */
export function leftCalls(record: RunRecord): ReadonlySet<string> {
  const waiting = record.names.map((name) => record.find(name)).filter((found) => found?.status === "WAITING")
  return new Set(waiting.flatMap((found) => (fieldOf(found?.value, "left") ?? []) as string[]))
}

const fieldOf = (value: JsonValue | undefined, name: string): JsonValue | undefined =>
  typeof value === "object" && value !== null ? (value as Readonly<Record<string, JsonValue>>)[name] : undefined
