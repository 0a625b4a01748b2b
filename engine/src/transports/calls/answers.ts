// Answers in their usual forms.
import type { Done } from "../../operations/kernel/idempotency.ts"
import type { Answer } from "./route.ts"

/** Pass the type of the wire as `Shape`: a view that no longer matches it does not compile. */
export const json = <Shape extends object = never>(status: number, value: NoInfer<Shape>): Answer => ({
  status,
  value,
  // Only REST needs it as JSON: gRPC encodes `value` itself.
  get body() {
    return JSON.stringify(value)
  },
})

/** For JSON that is put together by hand: what is undefined is left out of it. */
export type Said<Shape> = {
  readonly [Name in keyof Shape]: Shape[Name] | (object extends Pick<Shape, Name> ? undefined : never)
}

export const noContent: Answer = { status: 204 }

/** Said in the same words to the first request with a key and to every repeat. */
export const answerTo = <T>({ outcome, isRepeat }: Done<T>, say: (outcome: T) => Answer): Answer =>
  isRepeat ? { ...say(outcome), replayed: true } : say(outcome)

/** How most outcomes are said. */
export const ok = <Shape extends object = never>(value: NoInfer<Shape>): Answer => json<Shape>(200, value)
export const created = <Shape extends object = never>(value: NoInfer<Shape>): Answer => json<Shape>(201, value)
export const accepted = <Shape extends object = never>(value: NoInfer<Shape>): Answer => json<Shape>(202, value)
export const nothing = (): Answer => noContent
