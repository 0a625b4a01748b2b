// Answers in their usual forms.
import type { Done } from "../../../operations/kernel/idempotency.ts"
import type { Answer } from "./route.ts"

export const json = (status: number, value: unknown): Answer => ({ status, body: JSON.stringify(value) })

export const noContent: Answer = { status: 204 }

/** Said in the same words to the first request with a key and to every repeat. */
export const answerTo = <T>({ outcome, isRepeat }: Done<T>, say: (outcome: T) => Answer): Answer =>
  isRepeat ? { ...say(outcome), replayed: true } : say(outcome)

/** How most outcomes are said. */
export const ok = (value: unknown): Answer => json(200, value)
export const created = (value: unknown): Answer => json(201, value)
export const accepted = (value: unknown): Answer => json(202, value)
export const nothing = (): Answer => noContent
