// Live jobs as rows and nothing else, with their deltas in the same statement, as the engine makes and ends them.

import type { Database } from "../db/database.ts"
import type { Priority } from "../model/definitions/definition.ts"
import { queuesOf } from "../operations/flow/queue-registry.ts"
import type { Kernel } from "../operations/kernel/kernel.ts"

/** A queue of standalone jobs, or of the steps of a definition. */
export async function queueOf(kernel: Kernel, priority: Priority, definitionId = ""): Promise<number> {
  const key = { priority, jobType: "work", definitionId, downstream: "" }
  const queues = queuesOf(kernel)
  await queues.ensure([key])
  return queues.idOf(key)
}

type Runs = Pick<Database, "script">

const DELTAS = `insert into millrace.depth_deltas (queue_id, lane, delta)
  select c.queue_id, case when q.definition_id = '' then q.priority end, c.delta
  from (select queue_id, count(*) as n from changed group by queue_id) n
  cross join lateral (select n.queue_id, n.n * SIGN as delta) c
  join millrace.queues q on q.id = c.queue_id`

export const addJobs = (db: Runs, queueId: number, n: number): Promise<unknown> => db.script(addingJobs(queueId, n))

/** The statement as text, for a transaction that stays open. */
export const addingJobs = (queueId: number, n: number): string => `with changed as (
    insert into millrace.jobs (instance_id, execution, queue_id, status, seq, step_id, retries_left, created_at)
    select 'j' || s.seq, case when q.definition_id = '' then 0 else 1 end, q.id, 'ready', s.seq, 'work', 0, millrace.clock()
    from millrace.queues q, (select nextval('millrace.job_seq') as seq from generate_series(1, ${n})) s
    where q.id = ${queueId}
    returning queue_id
  ) ${DELTAS.replace("SIGN", "1")}`

export const endJobs = (db: Runs, queueId: number, n: number): Promise<unknown> =>
  db.script(`with changed as (
    delete from millrace.jobs
    where ctid in (select ctid from millrace.jobs where queue_id = ${queueId} order by seq limit ${n})
    returning queue_id
  ) ${DELTAS.replace("SIGN", "-1")}`)
