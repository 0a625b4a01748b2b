// API keys over the wire: list, make, revoke. Each change is noted in the log with who made it.
import type { Transaction } from "../../db/transaction.ts"
import { type CallLimit, writeLimit } from "../../model/guard/class-limits.ts"
import type { ApiKeyRow } from "../../store/people/api-keys.ts"
import { isoTime } from "../../support/iso-time.ts"
import type { Operator } from "../flow/change-live.ts"
import { type Done, once } from "../kernel/idempotency.ts"
import type { Kernel } from "../kernel/kernel.ts"
import { createApiKey, limitOf, listApiKeys, type NewApiKey, revokeApiKey } from "./api-keys.ts"

export interface ApiKeyView {
  readonly id: string
  readonly name: string
  readonly scopes: readonly string[]
  readonly createdAt: string
  readonly expiresAt?: string
  readonly revokedAt?: string
  readonly lastUsedAt?: string
  readonly limit?: { readonly requests: number; readonly windowSeconds: number }
}

export const listKeys = async (kernel: Kernel): Promise<readonly ApiKeyView[]> =>
  (await listApiKeys(kernel.db)).map(viewOf)

interface MadeKey {
  readonly view: ApiKeyView
  /** Undefined for a repeat: what is kept to answer repeats must not hold a secret. */
  readonly key: string | undefined
}

export async function makeKey(
  kernel: Kernel,
  { actor, requestKey }: Operator,
  asked: NewApiKey,
): Promise<Done<MadeKey>> {
  let secret: string | undefined
  const work = async (tx: Transaction): Promise<ApiKeyView> => {
    const { key, row } = await createApiKey(tx, asked)
    secret = key
    return viewOf(row)
  }
  const { outcome, isRepeat } = await kernel.db.transaction((tx) => once(tx, requestKey, () => work(tx)))
  const { limit, scopes } = asked
  const noted = { actor, keyId: outcome.id, scopes, ...(limit ? { limit: writeLimit(limit) } : {}) }
  if (!isRepeat) kernel.log.info(noted, "an API key was made")
  return { outcome: { view: outcome, key: secret }, isRepeat }
}

export async function endKey(kernel: Kernel, { actor, requestKey }: Operator, id: string): Promise<Done<void>> {
  const done = await kernel.db.transaction((tx) => once(tx, requestKey, () => revokeApiKey(tx, id)))
  if (!done.isRepeat) kernel.log.info({ actor, keyId: id }, "an API key was revoked")
  return done
}

const shownLimit = ({ requests, windowMs }: CallLimit) => ({ requests, windowSeconds: windowMs / 1_000 })

function viewOf(row: ApiKeyRow): ApiKeyView {
  const limit = limitOf(row)
  return {
    id: row.id,
    name: row.name,
    scopes: row.scopes,
    createdAt: isoTime(row.created_at),
    ...(row.expires_at === null ? {} : { expiresAt: isoTime(row.expires_at) }),
    ...(row.revoked_at === null ? {} : { revokedAt: isoTime(row.revoked_at) }),
    ...(row.last_used_at === null ? {} : { lastUsedAt: isoTime(row.last_used_at) }),
    ...(limit ? { limit: shownLimit(limit) } : {}),
  }
}
