// The keys of starts: a repeated request gets its first answer, a business key belongs to one unfinished instance.
import type { Outcome } from "../../db/batcher.ts"
import type { Transaction } from "../../db/transaction.ts"
import { identity, insertBusinessKeys, type RequestKey } from "../../store/instances/keys.ts"
import { setLockTimeout } from "../../store/kernel/lock-timeout.ts"
import { conflict } from "../../support/errors.ts"
import { claimRequestKeys, releaseRequestKeys } from "../kernel/idempotency.ts"
import { type PlannedStart, viewOf } from "./planned-start.ts"
import type { StartedInstance } from "./start-instance.ts"

type Refused = Map<PlannedStart, Outcome<StartedInstance>>

/** The unique constraints decide: a repeated request gets its first answer, a taken business key is a conflict. */
export async function takeKeys(tx: Transaction, starts: readonly PlannedStart[]): Promise<Refused> {
  const refused: Refused = new Map()
  const keyed = starts.filter((start) => start.item.request.requestKey)
  const unkeyed = starts.every(({ item, row }) => !item.request.requestKey && row.businessKey === null)
  if (unkeyed) return refused
  // Somebody else's open transaction may hold one of the keys: this batch does not wait for it without end.
  await setLockTimeout(tx)
  if (keyed.length > 0) {
    const replays = await claimRequestKeys(
      tx,
      keyed.map((s) => ({
        key: s.item.request.requestKey as RequestKey,
        answer: { status: 201, body: JSON.stringify(viewOf(s)) },
      })),
    )
    keyed.forEach((start, index) => {
      const replay = replays[index]
      if (replay) refused.set(start, "error" in replay ? replay : { value: { instance: viewOf(start), replay } })
    })
  }
  const lost = await takeBusinessKeys(tx, starts, refused)
  if (lost.length > 0) await releaseKeysOf(tx, lost, keyed, refused)
  return refused
}

/** Returns the starts whose key is taken. */
async function takeBusinessKeys(
  tx: Transaction,
  starts: readonly PlannedStart[],
  refused: Refused,
): Promise<readonly PlannedStart[]> {
  // An instance that ended within its first plan never holds its key.
  const wanting = starts.filter((s) => s.row.businessKey !== null && !s.planned.plan.finish && !refused.has(s))
  if (wanting.length === 0) return []
  const taken = await insertBusinessKeys(
    tx,
    wanting.map(({ row }) => ({
      definitionId: row.definitionId,
      businessKey: row.businessKey as string,
      instanceId: row.id,
    })),
  )
  const lost = wanting.filter((start) => !taken.has(start.row.id))
  for (const start of lost) {
    const { definitionId, businessKey } = start.row
    const error = conflict(`an unfinished instance of ${definitionId} has the business key ${businessKey}`)
    refused.set(start, { error })
  }
  return lost
}

/** A refused start leaves no answer behind; those of its repeats that are in the same batch are refused with it. */
async function releaseKeysOf(
  tx: Transaction,
  lost: readonly PlannedStart[],
  keyed: readonly PlannedStart[],
  refused: Refused,
): Promise<void> {
  const released = new Map<string, PlannedStart>()
  for (const start of lost) {
    const { requestKey } = start.item.request
    if (requestKey) released.set(identity(requestKey), start)
  }
  for (const start of keyed) {
    const first = released.get(identity(start.item.request.requestKey as RequestKey))
    const outcome = first && refused.get(first)
    if (outcome) refused.set(start, outcome)
  }
  await releaseRequestKeys(
    tx,
    lost.flatMap((start) => start.item.request.requestKey ?? []),
  )
}
