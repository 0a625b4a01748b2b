// What the database holds of one instance: tests compare it with what the doors say.
import type { Database } from "../db/database.ts"
import type { Row } from "../db/train.ts"

export const jobRows = (db: Database, instanceId: string): Promise<Row[]> =>
  db.script(`select status, retries_left, lost_leases, epoch, nonce, worker_id, visible_at, lease_until
    from millrace.jobs where instance_id = '${instanceId}' order by execution`)

export const attemptRows = (db: Database, instanceId: string): Promise<Row[]> =>
  db.script(`select execution, epoch, outcome, worker_id from millrace.attempts
    where instance_id = '${instanceId}' order by execution, epoch`)

export async function auditKinds(db: Database, instanceId: string): Promise<string[]> {
  const rows = await db.script(`select kind from millrace.trail where instance_id = '${instanceId}' order by seq`)
  return rows.map((row) => row.kind as string)
}

/** What is left of it among unfinished work. */
export async function liveRows(db: Database, instanceId: string): Promise<Row> {
  const [row] = await db.script(`select
    (select count(*) from millrace.instances where id = '${instanceId}') as instances,
    (select count(*) from millrace.jobs where instance_id = '${instanceId}') as jobs,
    (select count(*) from millrace.timers where instance_id = '${instanceId}') as timers,
    (select count(*) from millrace.user_tasks where instance_id = '${instanceId}' and status = 'OPEN') as tasks`)
  return row as Row
}

export async function countRows(db: Database, table: string, where = "true"): Promise<number> {
  const [row] = await db.script(`select count(*) as n from millrace.${table} where ${where}`)
  return row?.n as number
}

/** How many statements wait for the lock of another transaction. */
export async function waitingForLocks(db: Database): Promise<number> {
  const [row] = await db.script(
    "select count(*) as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  return row?.n as number
}
