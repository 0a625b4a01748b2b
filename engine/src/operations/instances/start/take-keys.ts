// The keys of starts. The unique constraints decide: a repeated request gets its first answer, a business key belongs to one
// unfinished instance, an intake key to one run.
import type { Outcome } from "../../../db/batcher.ts"
import type { Transaction } from "../../../db/transaction.ts"
import { type BusinessKey, findBusinessKeyHolders, insertBusinessKeys } from "../../../store/instances/business-keys.ts"
import { insertIntakeKeys } from "../../../store/instances/intake.ts"
import { setLockTimeout } from "../../../store/kernel/lock-timeout.ts"
import { identity, type RequestKey } from "../../../store/kernel/request-keys.ts"
import { businessKeyTaken } from "../../../support/errors.ts"
import { claimRequestKeys, releaseRequestKeys } from "../../kernel/idempotency.ts"
import { type PlannedStart, viewOf } from "./planned-start.ts"
import type { Started } from "./start-request.ts"

/** The starts that are not written, each with the outcome for its caller. */
type Settled = Map<PlannedStart, Outcome<Started>>

export async function takeKeys(tx: Transaction, starts: readonly PlannedStart[]): Promise<Settled> {
  const settled: Settled = new Map()
  if (!starts.some(hasKey)) return settled
  // Another transaction may hold one of the keys: this one does not wait for it without end.
  await setLockTimeout(tx)
  await takeRequestKeys(tx, starts, settled)
  await takeIntakeKeys(tx, starts, settled)
  await takeBusinessKeys(tx, starts, settled)
  return settled
}

const hasKey = ({ prepared: { request, intakeKey } }: PlannedStart): boolean =>
  request.requestKey !== undefined || request.businessKey !== undefined || intakeKey !== undefined

const requestKeyOf = ({ prepared }: PlannedStart): RequestKey => prepared.request.requestKey as RequestKey

async function takeRequestKeys(tx: Transaction, starts: readonly PlannedStart[], settled: Settled): Promise<void> {
  const keyed = starts.filter(({ prepared }) => prepared.request.requestKey)
  if (keyed.length === 0) return
  const verdicts = await claimRequestKeys(
    tx,
    keyed.map((start) => ({ key: requestKeyOf(start), outcome: viewOf(start) })),
  )
  keyed.forEach((start, index) => {
    const verdict = verdicts[index]
    if (!verdict) return
    settled.set(start, "error" in verdict ? verdict : { value: { instance: verdict.outcome, isRepeat: true } })
  })
}

/** A second intake with a key is answered as the first was, and starts nothing. */
async function takeIntakeKeys(tx: Transaction, starts: readonly PlannedStart[], settled: Settled): Promise<void> {
  const intakes = starts.filter(({ prepared }) => prepared.intakeKey !== undefined).sort(byIntakeKey)
  if (intakes.length === 0) return
  const keys = intakes.map(({ row, prepared }) => ({
    definitionId: row.definitionId,
    key: prepared.intakeKey as string,
    instanceId: row.id,
  }))
  const fresh = await insertIntakeKeys(tx, keys)
  for (const start of intakes)
    if (!fresh.has(start.row.id)) settled.set(start, { value: { instance: viewOf(start), isRepeat: true } })
}

export function byIntakeKey(a: PlannedStart, b: PlannedStart): number {
  const [one, other] = [a.row.definitionId, b.row.definitionId]
  if (one !== other) return one < other ? -1 : 1
  return (a.prepared.intakeKey ?? "") < (b.prepared.intakeKey ?? "") ? -1 : 1
}

async function takeBusinessKeys(tx: Transaction, starts: readonly PlannedStart[], settled: Settled): Promise<void> {
  // An instance that ended within its first plan never holds its key.
  const wanting = starts.filter((s) => s.row.businessKey !== null && !s.planned.plan.finish && !settled.has(s))
  if (wanting.length === 0) return
  const won = await insertBusinessKeys(tx, wanting.map(businessKeyOf))
  const lost = wanting.filter((start) => !won.has(start.row.id))
  if (lost.length === 0) return
  const holders = await findBusinessKeyHolders(tx, lost.map(businessKeyOf))
  for (const [at, start] of lost.entries())
    settled.set(start, { error: businessKeyTaken(businessKeyOf(start), holders[at]) })
  await releaseKeysOf(tx, lost, settled)
}

const businessKeyOf = ({ row: { definitionId, businessKey, id } }: PlannedStart): BusinessKey => ({
  definitionId,
  businessKey: businessKey as string,
  instanceId: id,
})

/** A refused start leaves no answer behind; its repeats in the same batch are refused with it. */
async function releaseKeysOf(tx: Transaction, lost: readonly PlannedStart[], settled: Settled): Promise<void> {
  const released = new Map<string, PlannedStart>()
  for (const start of lost) if (start.prepared.request.requestKey) released.set(identity(requestKeyOf(start)), start)
  if (released.size === 0) return
  for (const [start] of [...settled]) {
    const first = start.prepared.request.requestKey && released.get(identity(requestKeyOf(start)))
    const outcome = first && settled.get(first)
    if (outcome) settled.set(start, outcome)
  }
  await releaseRequestKeys(tx, [...released.values()].map(requestKeyOf))
}
