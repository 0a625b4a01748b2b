// Repeated requests: the first with a key does the work and leaves its answer; the others are given that answer.
import { createHash } from "node:crypto"
import type { Transaction } from "../../db/transaction.ts"
import {
  type Answer,
  answerIdempotencyKey,
  deleteIdempotencyKeys,
  findIdempotencyKeys,
  identity,
  insertIdempotencyKeys,
  type RequestKey,
} from "../../store/instances/keys.ts"
import { EngineError } from "../../support/errors.ts"
import { isObject, type JsonValue } from "../../support/json.ts"

export type { RequestKey } from "../../store/instances/keys.ts"

/** An answer given before. */
export interface Replay {
  readonly status: number
  readonly body: string | null
}

/** Bodies are the same when they are equal with their keys sorted. */
export const digestOf = (body: unknown): Buffer =>
  createHash("sha256")
    .update(JSON.stringify(sortKeys(body)) ?? "")
    .digest()

function sortKeys(value: unknown): JsonValue {
  if (Array.isArray(value)) return value.map(sortKeys)
  if (!isObject(value)) return (value ?? null) as JsonValue
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  )
}

interface Claim {
  readonly key: RequestKey
  readonly answer: Answer
}

type Verdict = Replay | { readonly error: EngineError } | undefined

/** Undefined where the key is new: its request goes ahead. Waits for a request with the same key that is under way. */
export async function claimRequestKeys(tx: Transaction, claims: readonly Claim[]): Promise<Verdict[]> {
  const distinct = firstOfEach(claims)
  const fresh = await insertIdempotencyKeys(
    tx,
    distinct.map(({ key, answer }) => ({ ...key, answer })),
  )
  // The first of each key in this batch is the one that was inserted, and whose answer all others are given.
  const isFirst = claims.map(({ key }) => fresh.delete(identity(key)))
  if (isFirst.every(Boolean)) return claims.map(() => undefined)
  const rows = await findIdempotencyKeys(
    tx,
    distinct.map(({ key }) => key),
  )
  const stored = new Map(rows.map((row) => [identity(row), row]))
  return claims.map(({ key }, index) => (isFirst[index] ? undefined : judge(key, stored.get(identity(key)))))
}

function firstOfEach(claims: readonly Claim[]): Claim[] {
  const first = new Map<string, Claim>()
  for (const claim of claims) if (!first.has(identity(claim.key))) first.set(identity(claim.key), claim)
  return [...first.values()]
}

function judge(key: RequestKey, row: { digest: Buffer; status: number; answer: string | null } | undefined): Verdict {
  if (!row)
    return {
      error: new EngineError("unavailable", "a request with this key has just failed; send it again", {
        retryAfterSeconds: 1,
      }),
    }
  if (!row.digest.equals(key.digest)) {
    return { error: new EngineError("idempotency-mismatch", `Idempotency-Key ${key.key} was used with another body`) }
  }
  return { status: row.status, body: row.answer }
}

/** A request that was refused after all leaves no answer behind: it may be sent again. At once: a caller's transaction may go on. */
export async function releaseRequestKeys(tx: Transaction, keys: readonly RequestKey[]): Promise<void> {
  if (keys.length > 0) await deleteIdempotencyKeys(tx, keys)
}

/** Another answer than the one that was left when the key was claimed. */
export const answerRequestKey = answerIdempotencyKey

/**
 * For requests that are not batched: runs `work` once per key and stores its answer in the same transaction.
 * A refusal rolls everything back, the key included.
 */
export async function once<T>(
  tx: Transaction,
  key: RequestKey | undefined,
  work: () => Promise<T>,
  answer: (result: T) => Answer,
): Promise<{ readonly result: T } | { readonly replay: Replay }> {
  if (!key) return { result: await work() }
  const [verdict] = await claimRequestKeys(tx, [{ key, answer: { status: 0, body: null } }])
  if (verdict) {
    if ("error" in verdict) throw verdict.error
    return { replay: verdict }
  }
  const result = await work().catch(async (error) => {
    // Ours is rolled back as a whole.
    if (!tx.isOurs && error instanceof EngineError) await releaseRequestKeys(tx, [key])
    throw error
  })
  answerIdempotencyKey(tx, key, answer(result))
  return { result }
}
