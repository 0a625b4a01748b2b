// What must hold after the last kill: nothing lost, nothing doubled, and every language went on working.
import type { Database } from "../../../../engine/dist/db/database.js"
import { diagnose } from "../verify.ts"
import type { Started } from "./starts.ts"

const ALL = `select id, definition_id, status, input ->> 'ref' as ref from (
  select id, definition_id, status, input from millrace.instances
  union all select id, definition_id, status, input from millrace.finished_instances) i`

/** Violations in words. */
export async function verifyMixed(db: Database, accepted: readonly Started[]): Promise<string[]> {
  const ids = await idsByRef(db)
  return [
    ...accepted.flatMap(({ ref, id }) =>
      ids.get(ref)?.includes(id) ? [] : [`${ref} was accepted as ${id} and is lost`],
    ),
    ...[...ids].flatMap(([ref, all]) => (all.length > 1 ? [`${ref} was started ${all.length} times`] : [])),
    ...(await listed(db, NOT_COMPLETED, "did not complete")),
    ...(await listed(db, DOUBLED, "a step was completed more than once, or not at all")),
    ...(await listed(db, OTHER_RESULT, "the result that counts is not that of the delivery that was accepted")),
    ...(await diagnose(db)),
  ]
}

/** Steps that the workers of each name completed since then. */
export async function completedBy(db: Database, since: Date): Promise<ReadonlyMap<string, number>> {
  const rows = await db.script(`select regexp_replace(worker_id, '-\\d+$', '') as worker, count(*) as steps
    from millrace.history where step_type = 'SERVICE_TASK' and status = 'COMPLETED' and ended_at >= '${since.toISOString()}'
    group by 1 order by 1`)
  return new Map(rows.map((row) => [row.worker as string, Number(row.steps)]))
}

async function idsByRef(db: Database): Promise<Map<string, string[]>> {
  const ids = new Map<string, string[]>()
  for (const row of await db.script(ALL))
    ids.set(row.ref as string, [...(ids.get(row.ref as string) ?? []), row.id as string])
  return ids
}

async function listed(db: Database, query: string, what: string): Promise<string[]> {
  const rows = await db.script(`${query} limit 20`)
  return rows.map((row) => `${what}: ${Object.values(row).join(" ")}`)
}

const NOT_COMPLETED = `select ref, id, status from (${ALL}) i where status <> 'COMPLETED'`

const DOUBLED = `select i.id, count(h.*) from millrace.finished_instances i
  left join millrace.history h on h.instance_id = i.id and h.step_type = 'SERVICE_TASK' and h.status = 'COMPLETED'
  where i.status = 'COMPLETED' group by 1 having count(h.*) <> 4 or count(distinct h.step_id) <> 4`

const OTHER_RESULT = `select instance_id, step_id, epoch, delta from millrace.history
  where step_type = 'SERVICE_TASK' and status = 'COMPLETED' and (delta ->> step_id)::integer is distinct from epoch`
