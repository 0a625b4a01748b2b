// The tables of the shop, beside those of Millrace in the same database: that is what makes one transaction of both possible.
import { type Db, inTransaction } from "./database.ts"

export async function createTables(db: Db): Promise<void> {
  await inTransaction(db, async (tx) => {
    // Several processes begin at once: the first creates, the others wait for it.
    await tx.query("select pg_advisory_xact_lock(hashtext('payments.schema'))")
    await tx.query(TABLES)
  })
}

const TABLES = `
  create table if not exists payments (
    id uuid primary key,
    idempotency_key text not null unique,
    request_hash text not null,
    amount numeric(12, 2) not null check (amount > 0),
    currency char(3) not null,
    version integer not null default 1,
    status text not null default 'PENDING',
    charge_round integer not null default 1,
    job_id text,
    transaction_id text,
    reason text,
    is_dead_letter boolean not null default false,
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  create index if not exists payments_processing on payments (job_id) where status = 'PROCESSING';
  create index if not exists payments_dead_letters on payments (id) where is_dead_letter;
`
