// Partitions of the finished tables, by week. A range of ids is a range of time: one week of all tables goes together.
import type { Database } from "../../db/database.ts"
import { PIN_SCRIPT } from "../../db/transaction.ts"
import { ulidAt } from "../../support/ids.ts"

const TABLES = ["finished_instances", "history", "attempts", "audit", "run_steps", "signals"] as const
/** Events have weeks too, which go when they have been published. */
const EVENTS = "events"
/** A script is one transaction: rather than have others queue behind its lock, it gives up soon and is run later. */
export const SHORT_WAIT = `${PIN_SCRIPT} select set_config('lock_timeout', '2s', true);`
/** If two processes find a week missing, only one may make it: `if not exists` alone lets both try. */
export const ONE_AT_A_TIME = "select pg_advisory_xact_lock(4711016);"
const WEEK_MS = 7 * 24 * 3_600_000
// 1970-01-05 was a Monday.
const MONDAY_MS = 4 * 24 * 3_600_000

export interface Week {
  /** Monday, as 20261109: the partitions are named by it. */
  readonly name: string
  readonly fromMs: number
  readonly toMs: number
}

export function weekOf(epochMs: number): Week {
  const fromMs = MONDAY_MS + Math.floor((epochMs - MONDAY_MS) / WEEK_MS) * WEEK_MS
  return { name: new Date(fromMs).toISOString().slice(0, 10).replaceAll("-", ""), fromMs, toMs: fromMs + WEEK_MS }
}

/** Ids of a week, as [from, to). */
export const idRange = ({ fromMs, toMs }: Week): [string, string] => [ulidAt(fromMs), ulidAt(toMs)]

/** SQLSTATE of `createWeek` when rows of that week lie in the default partition already. */
export const WEEK_HAS_BEGUN = "23514"

/** Ahead of time: a partition cannot be made once its rows lie in the default one. */
export async function createWeek(db: Database, week: Week): Promise<void> {
  const [from, to] = idRange(week)
  const tables = [...TABLES, EVENTS].map(
    (table) =>
      `create table if not exists millrace.${table}_${week.name}
        partition of millrace.${table} for values from ('${from}') to ('${to}');`,
  )
  await db.script(`${SHORT_WAIT} ${ONE_AT_A_TIME} ${tables.join("\n")}`)
}

export const listWeeks = (db: Database): Promise<Week[]> => weeksOf(db, "finished_instances")

export const listEventWeeks = (db: Database): Promise<Week[]> => weeksOf(db, EVENTS)

async function weeksOf(db: Database, table: string): Promise<Week[]> {
  const rows = await db.script(
    `select child.relname as name from pg_inherits i join pg_class child on child.oid = i.inhrelid
     where i.inhparent = 'millrace.${table}'::regclass and child.relname ~ '_\\d{8}$' order by 1`,
  )
  return rows.map((row) => {
    const day = (row.name as string).slice(-8)
    return weekOf(Date.parse(`${day.slice(0, 4)}-${day.slice(4, 6)}-${day.slice(6)}T00:00:00Z`))
  })
}

export interface Remains {
  readonly definitionId: string
  readonly definitionVersion: number
  readonly lastCompletedAt: number
}

interface WeekRemains {
  readonly live: boolean
  readonly finished: readonly Remains[]
  /** When the last standalone job ended. */
  readonly lastJobEndedAt: number | undefined
}

/** What a week still holds: live instances that began in it, and the finished ones by definition. */
export async function remainsOf(db: Database, week: Week): Promise<WeekRemains> {
  const [from, to] = idRange(week)
  const [live] = await db.script(`select exists (select from millrace.instances where id >= '${from}' and id < '${to}')
    or exists (select from millrace.jobs where instance_id >= '${from}' and instance_id < '${to}')
    or exists (select from millrace.packs where last_id >= '${from}' and first_id < '${to}')
    or exists (
      select from millrace.chains where child_id is null and parent_id >= '${from}' and parent_id < '${to}') as live`)
  const rows = await db.script(
    `select definition_id, definition_version, max(completed_at) as last
     from millrace.finished_instances_${week.name} group by 1, 2`,
  )
  const finished = rows.map((row) => ({
    definitionId: row.definition_id as string,
    definitionVersion: row.definition_version as number,
    lastCompletedAt: row.last as number,
  }))
  const [job] = await db.script(`select max(ended_at) as last from millrace.history_${week.name} where execution = 0`)
  return { live: live?.live === true, finished, lastJobEndedAt: (job?.last as number | null) ?? undefined }
}

export async function dropWeek(db: Database, week: Week): Promise<void> {
  const [from, to] = idRange(week)
  const tables = TABLES.map((table) => `drop table if exists millrace.${table}_${week.name};`)
  await db.script(`${SHORT_WAIT} ${tables.join("\n")}
    delete from millrace.job_keys where job_id >= '${from}' and job_id < '${to}';
    delete from millrace.intake_keys where instance_id >= '${from}' and instance_id < '${to}';
    delete from millrace.restarts where instance_id >= '${from}' and instance_id < '${to}'
      or restart_of >= '${from}' and restart_of < '${to}';
    delete from millrace.dead_letters where source = 'step' and instance_id >= '${from}' and instance_id < '${to}';
    delete from millrace.user_tasks where instance_id >= '${from}' and instance_id < '${to}';
    delete from millrace.chains where child_id is not null and parent_id >= '${from}' and parent_id < '${to}';`)
}
