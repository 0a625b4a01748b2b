-- Standalone jobs: execution 0 of an id of their own, in the same tables as the jobs of steps.

-- name: completeJobs
with report as materialized (
  select x.*
  from @reports with ordinality as x (id text, epoch integer, nonce uuid, worker_id text, result json, number)
),
gone as (
  delete from millrace.jobs j
  using report x
  where j.instance_id = x.id and j.execution = 0 and j.nonce is not null
    -- Which worker has a message of Kafka is not known: the report of each counts.
    and case when x.nonce is null then j.worker_id in (x.worker_id, 'millrace:kafka')
      else j.epoch = x.epoch and j.nonce = x.nonce end
  returning j.*, x.result, x.number
),
kept as (
  insert into millrace.history (
    instance_id, execution, step_id, step_type, attempt, status, started_at, ended_at, delta, seq,
    epoch, nonce, worker_id, verb, queue_id, payload, created_at, retry_count, replay_of
  )
  select g.instance_id, 0, g.step_id, 'JOB', g.epoch, 'COMPLETED', coalesce(g.claimed_at, t.now), t.now, g.result, 0,
    g.epoch, g.nonce, g.worker_id, 'complete', g.queue_id, g.payload, g.created_at,
    case when g.epoch = 1 then 0 else (
      select count(*) from millrace.attempts a
      where a.instance_id = g.instance_id and a.execution = 0 and a.outcome in ('failed', 'timed-out')
    ) end,
    g.replay_of
  from gone g, (select millrace.clock() as now) t
),
counted as (
  insert into millrace.depth_deltas (queue_id, lane, delta)
  select m.queue_id, q.priority, -m.n
  from (select queue_id, count(*) as n from gone group by queue_id) m join millrace.queues q on q.id = m.queue_id
)
-- Of several reports on one job only this one counts.
select number::integer - 1 as report, queue_id, limit_key, downstream from gone

-- name: endJobs
-- Failed for good, or cancelled: into history, and into the dead letters where a reason is given.
with ended as materialized (
  select x.* from @jobs as x (
    id text, status text, error text, reason text, failure text, dead_id text, verb text, ended_at timestamptz)
),
gone as (
  delete from millrace.jobs j using ended x
  where j.instance_id = x.id and j.execution = 0
  returning j.*, x.status as end_status, x.error, x.reason, x.failure, x.dead_id, x.verb, x.ended_at,
    -- The attempt that ended it was no retry of anything.
    greatest(0, (select count(*) from millrace.attempts a
      where a.instance_id = j.instance_id and a.execution = 0 and a.outcome in ('failed', 'timed-out')
    ) - case when x.reason in ('exhausted', 'not-retryable') then 1 else 0 end) as retried
),
kept as (
  insert into millrace.history (instance_id, execution, step_id, step_type, attempt, status, started_at, ended_at,
    failure_reason, seq, epoch, nonce, worker_id, verb, queue_id, payload, created_at, retry_count, replay_of)
  select instance_id, 0, step_id, 'JOB', epoch, end_status, coalesce(claimed_at, ended_at), ended_at, error, 0,
    epoch, nonce, worker_id, verb, queue_id, payload, created_at, retried, replay_of
  from gone
),
buried as (
  insert into millrace.dead_letters (id, source, instance_id, execution, step_id, queue_id, reason, error, failure,
    attempts, retry_count, payload, options, dead_at)
  select g.dead_id, 'job', g.instance_id, 0, g.step_id, g.queue_id, g.reason, g.error, g.failure,
    g.epoch, g.retried, g.payload, json_build_object('retry', g.retry, 'timeoutMs', g.run_ms, 'fairKey', g.fair_key,
      'downstream', g.downstream, 'trace', g.trace_context, 'effectKey', g.effect_key,
      'limit', (select json_build_object('key', l.key, 'max', l.max) from millrace.limits l where l.key = g.limit_key)),
    g.ended_at
  from gone g where g.reason is not null
)
insert into millrace.depth_deltas (queue_id, lane, delta)
select m.queue_id, q.priority, -m.n
from (select queue_id, count(*) as n from gone group by queue_id) m join millrace.queues q on q.id = m.queue_id

-- name: setLimits
-- A row is locked only where it changes: a caller's transaction may stay open for long. That a limit is in use is noted
-- once an hour, and not where another transaction has just noted it.
with wanted as (
  select key, max(max) as max, bool_and(keeps) as keeps
  from @limits as x (key text, max integer, keeps boolean)
  group by key
),
-- Asked first: where a transaction is changing the row, a conflict would wait for its end.
made as (
  insert into millrace.limits (key, max) select key, max from wanted w
  where not exists (select from millrace.limits l where l.key = w.key) order by key on conflict do nothing
),
aged as materialized (
  select l.key from wanted w join millrace.limits l on l.key = w.key
  where not w.keeps and l.max = w.max and l.set_at < (select millrace.clock()) - interval '1 hour'
  order by l.key for update of l skip locked
)
update millrace.limits l set max = w.max, set_at = (select millrace.clock()) from wanted w
where l.key = w.key and not w.keeps and (l.max <> w.max or l.key in (select key from aged))

-- name: fillLimits
select queue_id from millrace.fill_limits(@keys::text[], @weights::float8[], @draws::float8[])

-- name: listWaitingLimits
-- One by one, from key to key: a million held jobs of one key are one step.
with recursive keys (key) as (
  (
    select j.limit_key from millrace.jobs j
    where j.status = 'held' and j.visible_at is null and j.limit_key > @afterKey order by j.limit_key limit 1
  )
  union all
  select (
    select j.limit_key from millrace.jobs j
    where j.status = 'held' and j.visible_at is null and j.limit_key > k.key order by j.limit_key limit 1
  )
  from keys k where k.key is not null
)
select key from keys where key is not null limit @limit

-- name: findLiveJob
select j.instance_id as id, j.status, q.job_type, k.key, q.priority, q.downstream, j.payload, j.retries_left,
  j.lost_leases, j.worker_id, j.lease_until, j.visible_at, j.held_reason, j.limit_key, j.fair_key, j.replay_of,
  j.created_at, j.claimed_at, a.failures, a.error, a.ended_at as failed_at
from millrace.live_jobs_of(@id) j
join millrace.queues q on q.id = j.queue_id
left join millrace.job_keys k on k.job_id = j.instance_id
left join lateral (
  select count(*) filter (where outcome in ('failed', 'timed-out')) as failures, max(ended_at) as ended_at,
    (array_agg(error order by epoch desc))[1] as error
  from millrace.attempts where instance_id = j.instance_id and execution = 0
) a on true
where j.execution = 0

-- name: findEndedJob
select h.instance_id as id, h.status, q.job_type, k.key, q.priority, q.downstream, h.payload, h.delta as result,
  h.retry_count, h.failure_reason, h.worker_id, h.replay_of, h.created_at, h.started_at, h.ended_at
from millrace.history h join millrace.queues q on q.id = h.queue_id
left join millrace.job_keys k on k.job_id = h.instance_id
where h.instance_id = @id and h.execution = 0
