// A second consumer of all events, which writes down each in the transaction that marks it: what is lost is missing in its table, and what
// is processed twice is in it twice.
import { type Mill, millrace } from "millrace"
import { type Db, inTransaction, openDb, rowsOf, type Tx } from "../payments/database.ts"
import { EVENT_TYPES, type PaymentEvent } from "../payments/events.ts"
import { kafkaOf } from "../settings.ts"

export interface Observer {
  /** Events that were published and not seen yet. */
  unseen(): Promise<number>
  /** Each a sentence. */
  faults(): Promise<readonly string[]>
  close(): Promise<void>
}

const TABLE = `
  create table if not exists observed_events (
    place bigserial primary key, event_id text not null, event_type text not null, key text, version integer);
  create index if not exists observed_events_id on observed_events (event_id);`

export async function startObserver(databaseUrl: string, kafkaBrokers: string | undefined): Promise<Observer> {
  const db = openDb(databaseUrl, 4)
  const kafka = kafkaOf({ kafkaBrokers })
  const mill = await millrace({ database: databaseUrl, logLevel: "silent", maxConnections: 4, kafka })
  await db.query(TABLE)
  for (const type of EVENT_TYPES) await observe(mill, db, type)
  const close = async () => {
    await mill.stop()
    await db.end()
  }
  return { unseen: () => unseenEvents(db), faults: () => faultsOf(db), close }
}

async function observe(mill: Mill, db: Db, type: string): Promise<void> {
  const transaction = (work: (tx: Tx) => Promise<void>) => inTransaction(db, work)
  await mill.consume<Tx>(type, { group: `observer.${type}`, transaction, concurrency: 4 }, async ({ event, tx }) => {
    const { version } = event.payload as unknown as PaymentEvent
    const values = [event.id, event.type, event.key, version]
    await tx.query("insert into observed_events (event_id, event_type, key, version) values ($1, $2, $3, $4)", values)
  })
}

async function unseenEvents(db: Db): Promise<number> {
  const [row] = await rowsOf<{ count: number }>(
    db,
    `select count(*)::integer as count from millrace_views.event e
     where not exists (select from observed_events o where o.event_id = e.id)`,
  )
  return row?.count ?? 0
}

async function faultsOf(db: Db): Promise<readonly string[]> {
  const doubled = await rowsOf<{ event_id: string }>(
    db,
    "select event_id from observed_events group by event_id having count(*) > 1",
  )
  const swapped = await rowsOf<{ key: string; event_type: string }>(
    db,
    `select key, event_type from (
       select key, event_type, version, lag(version) over (partition by key, event_type order by place) as before
       from observed_events) o
     where version < before`,
  )
  return [
    ...doubled.map(({ event_id }) => `event ${event_id} was processed more than once`),
    ...swapped.map(({ key, event_type }) => `${event_type} of payment ${key} came out of order`),
  ]
}
