// Answers in their usual forms.
import type { Replay } from "../../../operations/kernel/idempotency.ts"
import type { Answer } from "./route.ts"

export const json = (status: number, value: unknown): Answer => ({ status, body: JSON.stringify(value) })

export const noContent: Answer = { status: 204 }

/** The first answer to this key, word for word; `now` where it was stored without a body. */
export async function replayed({ status, body }: Replay, now?: () => Promise<Answer>): Promise<Answer> {
  if (body !== null) return { status, body, replayed: true }
  return { ...(now ? await now() : noContent), replayed: true }
}
