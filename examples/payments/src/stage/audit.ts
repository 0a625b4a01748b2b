// The books after a run, held against each other: what was accepted, what the database says, what was published, what was charged.
import { type Db, rowsOf } from "../payments/database.ts"
import type { Entry, LedgerTotals } from "../provider/ledger.ts"

export interface Audit {
  readonly counts: Readonly<Record<string, number>>
  /** Each a sentence; none when all is well. */
  readonly faults: readonly string[]
}

export interface ProviderBooks {
  readonly totals: LedgerTotals
  readonly entries: readonly Entry[]
}

export interface Evidence {
  readonly db: Db
  /** Payment by key, of every request that was answered with 202. */
  readonly accepted: ReadonlyMap<string, string>
  readonly provider: ProviderBooks
}

interface Row {
  readonly id: string
  readonly idempotency_key: string
  readonly status: string
}

export async function readProviderBooks(providerUrl: string): Promise<ProviderBooks> {
  return (await fetch(`${providerUrl}/ledger`)).json() as Promise<ProviderBooks>
}

export async function audit({ db, accepted, provider }: Evidence): Promise<Audit> {
  const rows = await rowsOf<Row>(db, "select id, idempotency_key, status from payments")
  const faults = [
    ...acceptedFaults(accepted, rows),
    ...endFaults(rows),
    ...chargeFaults(rows, provider),
    ...(await eventFaults(db)),
  ]
  return { counts: countsOf(rows), faults }
}

const countsOf = (rows: readonly Row[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const { status } of rows) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** One payment for each key, the one that was told. */
function acceptedFaults(accepted: ReadonlyMap<string, string>, rows: readonly Row[]): string[] {
  const byKey = new Map(rows.map((row) => [row.idempotency_key, row.id]))
  const lost = [...accepted].filter(([key, id]) => byKey.get(key) !== id)
  return lost.map(([key, id]) => `payment ${id} was accepted under ${key}, and the database has ${byKey.get(key)}`)
}

const endFaults = (rows: readonly Row[]): string[] =>
  rows
    .filter(({ status }) => status === "PENDING" || status === "PROCESSING")
    .map(({ id, status }) => `payment ${id} is still ${status}`)

/** Settled is charged, and failed is not. */
function chargeFaults(rows: readonly Row[], { totals, entries }: ProviderBooks): string[] {
  const charged = new Set(entries.filter(({ status }) => status === "succeeded").map(({ payment_id }) => payment_id))
  const unpaid = rows.filter(({ id, status }) => status !== "FAILED" && !charged.has(id))
  const untold = rows.filter(({ id, status }) => status === "FAILED" && charged.has(id))
  return [
    ...totals.doubled.map((id) => `payment ${id} was charged more than once`),
    ...unpaid.map(({ id, status }) => `payment ${id} is ${status} and was never charged`),
    ...untold.map(({ id }) => `payment ${id} is FAILED and was charged`),
  ]
}

interface Story {
  readonly id: string
  readonly status: string
  /** In the order in which they were published. */
  readonly types: string | null
  readonly versions: readonly number[] | null
}

/** Every change of a payment is told by one event, published in their order: the last of them says what the payment is. */
async function eventFaults(db: Db): Promise<string[]> {
  const told = await rowsOf<Story>(
    db,
    `select p.id, p.status, e.types, e.versions from payments p left join (
       select key, string_agg(replace(event_type, 'payment.', ''), ' ' order by place) as types,
         array_agg((payload ->> 'version')::integer order by place) as versions
       from millrace_views.event group by key) e on e.key = p.id::text`,
  )
  return [
    ...told
      .filter(isOdd)
      .map(({ id, status, types }) => `payment ${id} is ${status}, and its events are: ${types ?? "none"}`),
    ...told
      .filter(isSwapped)
      .map(({ id, versions }) => `payment ${id} has its events out of order: versions ${versions}`),
  ]
}

const isOdd = ({ status, types }: Story): boolean => !WHOLE_STORY[status]?.test(types ?? "")

const isSwapped = ({ versions }: Story): boolean =>
  (versions ?? []).some((version, at, all) => at > 0 && version <= Number(all[at - 1]))

const BEFORE = "^(initiated (failed|dlq) )*initiated "
const WHOLE_STORY: Readonly<Record<string, RegExp>> = {
  SETTLED: new RegExp(`${BEFORE}completed$`),
  FAILED: new RegExp(`${BEFORE}(failed|dlq)$`),
  REFUNDED: new RegExp(`${BEFORE}completed refunded$`),
}
