// The rows of payments: how one is made, read, and moved from status to status under its version.
import { type Db, rowsOf, type Tx } from "./database.ts"
import { type EventType, publishing } from "./events.ts"
import { IllegalTransition, mayBecome, type Status } from "./status.ts"

export interface Payment {
  readonly id: string
  readonly idempotency_key: string
  /** Of the body that it was made from: the same key with another body is refused. */
  readonly request_hash: string
  /** Decimal text, as PostgreSQL has it. */
  readonly amount: string
  readonly currency: string
  readonly version: number
  readonly status: Status
  /** Counts up when a declined payment is tried once more by hand: the provider keeps its answer by key. */
  readonly charge_round: number
  readonly job_id: string | null
  readonly transaction_id: string | null
  readonly reason: string | null
  /** It was given up, and an operator has not taken care of it yet. */
  readonly is_dead_letter: boolean
  readonly created_at: Date
  readonly updated_at: Date
}

export type NewPayment = Pick<Payment, "id" | "idempotency_key" | "request_hash" | "amount" | "currency">
export type Changes = Partial<Pick<Payment, "charge_round" | "job_id" | "transaction_id" | "reason" | "is_dead_letter">>

/**
 * The payment and its event in one statement, so there is no moment in which one is committed without the other. Undefined when the key is
 * taken: the unique index decides, whatever happened to lock and cache before.
 */
export async function insertPayment(on: Db | Tx, payment: NewPayment): Promise<Payment | undefined> {
  const { id, idempotency_key, request_hash, amount, currency } = payment
  const [row] = await rowsOf<Payment>(
    on,
    `with p as (
       insert into payments (id, idempotency_key, request_hash, amount, currency) values ($1, $2, $3, $4, $5)
       on conflict (idempotency_key) do nothing returning *)
     select p.*, ${publishing("payment.initiated")} as event_id from p`,
    [id, idempotency_key, request_hash, amount, currency],
  )
  return row
}

export async function findPayment(on: Db | Tx, id: string): Promise<Payment | undefined> {
  const [row] = await rowsOf<Payment>(on, "select * from payments where id = $1", [id])
  return row
}

export async function findByKey(on: Db | Tx, key: string): Promise<Payment | undefined> {
  const [row] = await rowsOf<Payment>(on, "select * from payments where idempotency_key = $1", [key])
  return row
}

export type Taking = Pick<Payment, "id" | "version"> & { readonly job_id: string }

/** Those that are PENDING under their version become PROCESSING, by one statement. The jobs of those that did. */
export async function beginProcessing(tx: Tx, payments: readonly Taking[]): Promise<ReadonlySet<string>> {
  const rows = await rowsOf<{ job_id: string }>(
    tx,
    `update payments p set status = 'PROCESSING', version = p.version + 1, updated_at = now(), job_id = t.job_id
     from unnest($1::uuid[], $2::integer[], $3::text[]) as t (id, version, job_id)
     where p.id = t.id and p.version = t.version and p.status = 'PENDING' returning p.job_id`,
    [payments.map(({ id }) => id), payments.map(({ version }) => version), payments.map(({ job_id }) => job_id)],
  )
  return new Set(rows.map(({ job_id }) => job_id))
}

export interface Move extends Changes {
  readonly to: Status
  /** Null where others are not told. */
  readonly event: EventType | null
}

/**
 * The new status and its event in one statement. Undefined when another transaction was faster: the version is no longer the one that the
 * decision was made from.
 */
export async function movePayment(
  on: Db | Tx,
  { id, version, status }: Pick<Payment, "id" | "version" | "status">,
  { to, event, ...changes }: Move,
): Promise<Payment | undefined> {
  if (!mayBecome(status, to)) throw new IllegalTransition(status, to)
  const names = Object.keys(changes)
  const sets = names.map((name, at) => `, ${name} = $${at + 5}`).join("")
  const [row] = await rowsOf<Payment>(
    on,
    `with p as (
       update payments set status = $4, version = version + 1, updated_at = now()${sets}
       where id = $1 and version = $2 and status = $3 returning *)
     select p.*, ${event ? publishing(event) : "null"} as event_id from p`,
    [id, version, status, to, ...Object.values(changes)],
  )
  return row
}
