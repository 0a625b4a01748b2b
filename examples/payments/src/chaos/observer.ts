// A second consumer of all events, which writes down each in the transaction that marks it: what is lost is missing in its table, what is
// processed twice is in it twice, and what comes out of order stands there in the wrong place.
import { type Mill, millrace } from "millrace"
import { type Db, inTransaction, openDb, rowsOf, type Tx } from "../payments/database.ts"
import { EVENT_TYPES, type PaymentEvent } from "../payments/events.ts"
import { kafkaOf } from "../settings.ts"

export interface Observer {
  /** Events that were published and not seen yet. */
  unseen(): Promise<number>
  /** How often one event of a payment was seen after another of the same type, and of any type: what the proof of order rests on. */
  compared(): Promise<Compared>
  /** Each a sentence. */
  faults(): Promise<readonly string[]>
  close(): Promise<void>
}

export interface Compared {
  readonly ofType: number
  readonly ofPayment: number
}

const TABLE = `
  create table if not exists observed_events (
    place bigserial primary key, event_id text not null, event_type text not null, key text, version integer, sent_at timestamptz);
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
  return { unseen: () => unseenEvents(db), compared: () => comparedEvents(db), faults: () => faultsOf(db), close }
}

/** From Kafka `createdAt` is when the relay sent the record that was delivered first; else when the event was published. */
async function observe(mill: Mill, db: Db, type: string): Promise<void> {
  const transaction = (work: (tx: Tx) => Promise<void>) => inTransaction(db, work)
  const insert = "insert into observed_events (event_id, event_type, key, version, sent_at) values ($1, $2, $3, $4, $5)"
  await mill.consume<Tx>(type, { group: `observer.${type}`, transaction, concurrency: 4 }, async ({ event, tx }) => {
    const { version } = event.payload as unknown as PaymentEvent
    await tx.query(insert, [event.id, event.type, event.key, version, event.createdAt])
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

async function comparedEvents(db: Db): Promise<Compared> {
  const [row] = await rowsOf<Compared>(
    db,
    `select (count(*) - count(distinct (key, event_type)))::integer as "ofType",
       (count(*) - count(distinct key))::integer as "ofPayment" from observed_events`,
  )
  return row ?? { ofType: 0, ofPayment: 0 }
}

async function faultsOf(db: Db): Promise<readonly string[]> {
  const find = (text: string) => rowsOf<Readonly<Record<string, string>>>(db, text)
  const [doubled, swapped, overtaken] = [await find(DOUBLED), await find(SWAPPED), await find(OVERTAKEN)]
  return [
    ...doubled.map(({ event_id }) => `event ${event_id} was processed more than once`),
    ...swapped.map(({ key, event_type }) => `${event_type} of payment ${key} came out of order`),
    ...overtaken.map(({ key, event_type }) => `${event_type} of payment ${key} was sent before an earlier event of it`),
  ]
}

const DOUBLED = "select event_id from observed_events group by event_id having count(*) > 1"

/** As they were delivered: types are read from different topics, so only those of one type have an order. */
const SWAPPED = `select key, event_type from (
    select key, event_type, version, lag(version) over (partition by key, event_type order by place) as before
    from observed_events) o
  where version < before`

/** As they were sent, whatever their types. */
const OVERTAKEN = `select key, event_type from (
    select key, event_type, sent_at, max(sent_at) over (
      partition by key order by version rows between unbounded preceding and 1 preceding) as before
    from observed_events) o
  where sent_at < before`
