// Drops what the outbox no longer needs: weeks of events, single ones of no week, and the moves that told of them.
import type { Database } from "../../db/database.ts"
import { idRange, listEventWeeks, ONE_AT_A_TIME, SHORT_WAIT, type Week } from "./partitions.ts"

const AT_ONCE = 10_000

/** Without a sink the subselect is null, and no event waits. */
const LOWEST = "(select min(s.after_seq) from millrace.sinks s)"

/** No sink is registered, moved or given a parked event until the transaction is over. Reading goes on. */
const HOLD_SINKS = "lock table millrace.sinks in share mode;"

/**
 * Drops the events of a week if every sink has had all of them and none is parked; returns whether it did. It looks
 * twice: first without a lock, so that a week which has to stay costs nothing, and then with all that could change the
 * answer at rest.
 *
 * The parent is locked first, as every reader and writer does. No transaction is then left that has taken a place and
 * not committed: one that comes later finds no partition, and its event is kept in the default one. Last come the
 * sinks: one that is being registered is waited for, and one that is registered later begins with the events that are
 * left.
 */
export async function dropPublishedWeek(db: Database, week: Week): Promise<boolean> {
  const [from, to] = idRange(week)
  const table = `millrace.events_${week.name}`
  const isNeeded = `exists (select from ${table} e where e.seq > ${LOWEST})
    or exists (select from millrace.parked_events p where p.event_id >= '${from}' and p.event_id < '${to}')`
  await db.script(`${SHORT_WAIT} ${ONE_AT_A_TIME} do $$ begin
    if not exists (select from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = 'millrace.events'::regclass and c.relname = 'events_${week.name}') then return; end if;
    if ${isNeeded} then return; end if;
    lock table only millrace.events in access exclusive mode;
    lock table ${table} in access exclusive mode;
    ${HOLD_SINKS}
    if ${isNeeded} then return; end if;
    drop table ${table};
  end $$`)
  const weeks = await listEventWeeks(db)
  return weeks.every(({ name }) => name !== week.name)
}

/** Prunes events of the default partition, which is never dropped, a number of them at a time. */
export async function prunePublished(db: Database, beforeId: string): Promise<void> {
  await db.script(`${SHORT_WAIT} ${HOLD_SINKS}
    delete from millrace.events_default where id in (
      select e.id from millrace.events_default e
      where e.id < '${beforeId}' and (e.seq > ${LOWEST}) is not true
        and not exists (select from millrace.parked_events p where p.event_id = e.id)
      limit ${AT_ONCE})`)
}

/** Readers find by these moves when an event was published. Moves below the oldest event are deleted. */
export async function pruneMoves(db: Database): Promise<void> {
  await db.script(`delete from millrace.sink_moves m
    where m.to_seq < (select min(s.after_seq) from millrace.sinks s)
      and m.to_seq < coalesce((select e.seq from millrace.events e order by e.seq limit 1), m.to_seq + 1)`)
}
