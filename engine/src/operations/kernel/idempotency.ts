// Repeated requests: the first with a key does the work and leaves its outcome; the others are given that outcome, and do nothing.
import { createHash } from "node:crypto"
import type { Transaction } from "../../db/transaction.ts"
import {
  deleteRequestKeys,
  findRequestKeys,
  identity,
  insertRequestKeys,
  type RequestKey,
  type RequestKeyRow,
  setOutcome,
} from "../../store/kernel/request-keys.ts"
import { EngineError } from "../../support/errors.ts"
import { isObject, type JsonValue } from "../../support/json.ts"

export type { RequestKey } from "../../store/kernel/request-keys.ts"

/** What became of a request. The outcome has all that an answer says: what is live is not read again for a repeat. */
export interface Done<T> {
  readonly outcome: T
  /** Done by an earlier request with the same key. */
  readonly isRepeat: boolean
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

interface Claim<T> {
  readonly key: RequestKey
  /** Kept at once: the work is written with it or not at all. */
  readonly outcome: T
}

/** The answer to a request with a known key. */
type Verdict<T> = { readonly outcome: T } | { readonly error: EngineError }

/** For batches. Undefined where the key is new: its request goes ahead. Waits for one with the same key that is under way. */
export async function claimRequestKeys<T>(
  tx: Transaction,
  claims: readonly Claim<T>[],
): Promise<(Verdict<T> | undefined)[]> {
  const found = await claim(
    tx,
    claims.map(({ key, outcome }) => ({ ...key, outcome: textOf(outcome) })),
  )
  return found.map((known) => known && ("error" in known ? known : { outcome: outcomeOf<T>(known.row) }))
}

type Keyed = RequestKey & { readonly outcome: string | null }
type Known = { readonly row: RequestKeyRow } | { readonly error: EngineError }

async function claim(tx: Transaction, keys: readonly Keyed[]): Promise<(Known | undefined)[]> {
  const distinct = firstOfEach(keys)
  const fresh = await insertRequestKeys(tx, distinct)
  // The first of each key in this batch is the one that was inserted, and whose outcome all others are given.
  const isFirst = keys.map((key) => fresh.delete(identity(key)))
  if (isFirst.every(Boolean)) return keys.map(() => undefined)
  const stored = new Map((await findRequestKeys(tx, distinct)).map((row) => [identity(row), row]))
  return keys.map((key, index) => (isFirst[index] ? undefined : judge(key, stored.get(identity(key)))))
}

function firstOfEach(keys: readonly Keyed[]): Keyed[] {
  const first = new Map<string, Keyed>()
  for (const key of keys) if (!first.has(identity(key))) first.set(identity(key), key)
  return [...first.values()]
}

function judge({ key, digest }: RequestKey, row: RequestKeyRow | undefined): Known {
  if (!row) {
    const message = "a request with this key has just failed; send it again"
    return { error: new EngineError("unavailable", message, { retryAfterSeconds: 1 }) }
  }
  if (row.digest.equals(digest)) return { row }
  return { error: new EngineError("idempotency-mismatch", `Idempotency-Key ${key} was used with another body`) }
}

const textOf = (outcome: unknown): string | null => JSON.stringify(outcome) ?? null

const outcomeOf = <T>({ outcome }: RequestKeyRow): T => (outcome === null ? undefined : JSON.parse(outcome)) as T

/** A request that was refused after all leaves no outcome behind: it may be sent again. At once: a caller's transaction may go on. */
export async function releaseRequestKeys(tx: Transaction, keys: readonly RequestKey[]): Promise<void> {
  if (keys.length > 0) await deleteRequestKeys(tx, keys)
}

/** Another outcome than the one that was kept when the key was claimed. */
export const keepOutcome = (tx: Transaction, key: RequestKey, outcome: unknown): void =>
  setOutcome(tx, key, textOf(outcome))

/** What the version before has kept: the body it answered with, undefined where it kept none; and whether that said 201. */
export interface OldAnswer {
  readonly body: unknown
  readonly isCreated: boolean
}

/** What is done once, and how its outcome is read from what the version before has kept; as a rule that is the outcome. */
interface Task<T> {
  readonly work: () => Promise<T>
  readonly readOld: (old: OldAnswer) => T | Promise<T>
}

/**
 * For requests that are not batched: runs `work` once per key and stores its outcome in the same transaction.
 * A refusal rolls everything back, the key included.
 */
export async function once<T>(
  tx: Transaction,
  key: RequestKey | undefined,
  task: (() => Promise<T>) | Task<T>,
): Promise<Done<T>> {
  const { work, readOld } = typeof task === "function" ? { work: task, readOld: asKept<T> } : task
  if (!key) return { outcome: await work(), isRepeat: false }
  const [known] = await claim(tx, [{ ...key, outcome: null }])
  if (known) {
    if ("error" in known) throw known.error
    return { outcome: await repeatedOf(known.row, readOld), isRepeat: true }
  }
  const outcome = await work().catch(async (error) => {
    // Ours is rolled back as a whole.
    if (!tx.isOurs && error instanceof EngineError) await releaseRequestKeys(tx, [key])
    throw error
  })
  keepOutcome(tx, key, outcome)
  return { outcome, isRepeat: false }
}

const asKept = <T>({ body }: OldAnswer): T => body as T

const repeatedOf = <T>(row: RequestKeyRow, readOld: Task<T>["readOld"]): T | Promise<T> =>
  row.status === null ? outcomeOf<T>(row) : readOld({ body: outcomeOf(row), isCreated: row.status === 201 })
