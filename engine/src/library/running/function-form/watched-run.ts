// What a function is given as its run. A call that it forgets to await ends neither the process, where it fails, nor the run too early:
// which of its calls were never looked at is known.
import { EngineError } from "../../../support/errors.ts"
import type { Run } from "../../authoring/workflow-types.ts"
import { causeOf, describeError, stackOf } from "../step-failure.ts"

interface Call {
  /** As it is written: `run.step("charge"`. */
  readonly opening: string
  failure?: { readonly error: unknown }
}

export class WatchedRun implements Run {
  readonly #run: Run
  readonly #unawaited = new Set<Call>()

  constructor(run: Run) {
    this.#run = run
  }

  readonly step: Run["step"] = (...given) => this.#watch(`run.step(${quoted(given[0])}`, this.#run.step(...given))
  readonly all: Run["all"] = (...given) => this.#watch("run.all(", this.#run.all(...given))
  readonly child: Run["child"] = (...given) =>
    this.#watch(`run.child(${String(Object(given[0]).name)}`, this.#run.child(...given))
  readonly sleep: Run["sleep"] = (...given) => this.#watch(`run.sleep(${quoted(given[0])}`, this.#run.sleep(...given))
  readonly signal: Run["signal"] = (...given) =>
    this.#watch(`run.signal(${quoted(given[0])}`, this.#run.signal(...given))
  readonly userTask: Run["userTask"] = (...given) =>
    this.#watch(`run.userTask(${quoted(given[0])}`, this.#run.userTask(...given))

  /** Judges a function that has come to its end: a call that it did not wait for cannot have been meant as a part of it. */
  checkAwaited(): void {
    const calls = [...this.#unawaited]
    const told = calls.find(({ failure }) => failure) ?? calls[0]
    if (told) throw unawaited(told, calls)
  }

  #watch<Result>(opening: string, given: Promise<Result>): Promise<Result> {
    const call: Call = { opening }
    const watched = new WatchedPromise<Result>((resolve) => resolve(given))
    // Where no code looks at the promise, its failure would end the process.
    watched.catch((error: unknown) => {
      call.failure = { error }
    })
    this.#unawaited.add(call)
    watched.onAwaited = () => this.#unawaited.delete(call)
    return watched
  }
}

/** As a class of its own, because `await` asks only those of other classes for their `then`. */
class WatchedPromise<Result> extends Promise<Result> {
  static override get [Symbol.species](): PromiseConstructor {
    return Promise
  }

  onAwaited: () => void = () => {}

  // biome-ignore lint/suspicious/noThenProperty: it is a promise, and this is how it learns that it is awaited
  override then<A = Result, B = never>(...then: Parameters<typeof Promise.prototype.then<A, B>>): Promise<A | B> {
    this.onAwaited()
    return super.then(...then)
  }
}

/** Its stack is that of the failed call: that is where to look. What has failed is the cause, so that it is done again after a retry. */
function unawaited({ opening, failure }: Call, calls: readonly Call[]): EngineError {
  const more = calls.length > 1 ? `, and ${calls.length - 1} more` : ""
  const failed = failure ? `; it failed: ${describeError(causeOf(failure.error))}` : ""
  const cause = new AggregateError(calls.flatMap((call) => call.failure?.error ?? []))
  const error = new EngineError(
    "bad-request",
    `${opening}) was not awaited${more}: write \`await ${opening}…)\`${failed}`,
    { cause },
  )
  error.stack = stackOf(causeOf(failure?.error)) ?? ""
  return error
}

const quoted = (name: unknown): string => JSON.stringify(name) ?? ""
