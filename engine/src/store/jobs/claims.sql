-- Claims: ready jobs are leased. What may be read, and how many of each, is decided in memory; these statements read
-- those ranges. A lost claim only makes the job ready again later, and the token still fences: these commits need not
-- wait for the disk. Those of the relay do, because what is claimed is sent to Kafka; its leases have no end.
-- Four statements lease a job. claimJobs and claimFairJobs take ready ones; insertLeasedJobs (below) and enqueueJobs
-- (in enqueue.sql) make a job for a claim that waits.

-- name: claimJobs, planned by index
with wanted as (
  select w.* from @asks as w (queue_id integer, after bigint, group_no integer, quota integer, group_quota integer,
    has_neighbours boolean, lease_ms integer, run_ms integer, is_step boolean), (select set_config('synchronous_commit',
    case when @isEndless::boolean then current_setting('synchronous_commit') else 'off' end, true)) as relaxed
),
-- Several queues of one group are read as if they were one: none of them beyond the last job that is to be taken.
ends as (
  select s.group_no, max(s.seq) as seq from (
    select w.group_no, w.group_quota, c.seq, row_number() over (partition by w.group_no order by c.seq) as place
    from wanted w cross join lateral (
      select j.seq from millrace.jobs j where j.queue_id = w.queue_id and j.status = 'ready' and j.seq > w.after
      order by j.seq limit w.quota) c where w.has_neighbours
  ) s where s.place <= s.group_quota group by s.group_no
),
-- The jobs that are taken, locked, in the order in which they fill the slots.
picked as materialized (
  select c.place, c.instance_id, w.lease_ms, coalesce(c.run_ms, w.run_ms) as run_ms, w.is_step,
    case when w.is_step then (@stepLeases::integer[])[least(c.lost_leases + 1, cardinality(@stepLeases))] end as grown
  from wanted w left join ends e on e.group_no = w.group_no cross join lateral (
    select j.ctid as place, j.instance_id, j.seq, j.run_ms, j.lost_leases from millrace.jobs j where j.status = 'ready'
      and j.queue_id = w.queue_id and j.seq > w.after and j.seq <= coalesce(e.seq, 9223372036854775807)
    order by j.seq limit w.quota for update skip locked
  ) c order by w.group_no, c.seq)
update millrace.jobs j
set status = 'leased', epoch = j.epoch + 1, nonce = (@nonces::uuid[])[p.slot], worker_id = (@workerIds::text[])[p.slot],
  seen_version = i.version, claimed_at = t.now, lease_ms = p.granted_ms, lease_until = case when @isEndless::boolean
    then millrace.endless() else t.now + least(p.granted_ms, p.run_ms) * interval '1 ms' end,
  run_until = case when not @isEndless::boolean then t.now + p.run_ms * interval '1 ms' end
from (select s.*, coalesce((@leaseMs::integer[])[s.slot], case when (@beats::boolean[])[s.slot] then s.lease_ms end,
      s.grown, s.lease_ms) as granted_ms from (select picked.*, row_number() over () as slot from picked) s) p
  -- By the primary key and no other index: planned for an empty table, a plain join read all instances for every claim.
  left join lateral (select * from millrace.instances where p.is_step and id >= p.instance_id order by id limit 1) i
    on i.id = p.instance_id, (select millrace.clock() as now) t where j.ctid = p.place
returning p.slot, j.instance_id, j.execution, j.queue_id, j.seq, j.step_id, j.epoch, j.retries_left, j.lease_until,
  p.run_ms, case when j.epoch = 1 then extract(epoch from t.now - j.created_at)::float8 end as waited,
  i.definition_id, i.business_key, j.effect_key, coalesce(i.variables, i.input, j.payload) as variables,
  coalesce(i.trace_context, j.trace_context) as trace_context,
  case when p.slot = 1 then pg_snapshot_xmin(pg_current_snapshot())::text::bigint end as xmin,
  case when p.slot = 1 then pg_snapshot_xmax(pg_current_snapshot())::text::bigint end as xmax

-- name: claimFairJobs, planned by index
update millrace.jobs j
set status = 'leased', epoch = j.epoch + 1, nonce = (@nonces::uuid[])[p.slot], worker_id = (@workerIds::text[])[p.slot],
  claimed_at = t.now, lease_ms = coalesce((@slotLeaseMs::integer[])[p.slot], @leaseMs::integer),
  lease_until = case when @isEndless::boolean then millrace.endless() else t.now + interval '1 ms'
    * least(coalesce((@slotLeaseMs::integer[])[p.slot], @leaseMs::integer), coalesce(j.run_ms, @runMs::integer)) end,
  run_until = case when not @isEndless::boolean then t.now + coalesce(j.run_ms, @runMs::integer) * interval '1 ms' end
from (select set_config('synchronous_commit', case when @isEndless::boolean then current_setting('synchronous_commit')
    else 'off' end, true)) as relaxed,
  millrace.next_fair(@queueId::integer, @afterKey::text, @quota::integer, @aged::integer) as p (place, slot),
  (select millrace.clock() as now) t
where j.ctid = p.place
returning p.slot, j.instance_id, j.execution, j.queue_id, j.seq, j.step_id, j.epoch, j.retries_left, j.lease_until,
  coalesce(j.run_ms, @runMs::integer) as run_ms, j.fair_key,
  case when j.epoch = 1 then extract(epoch from t.now - j.created_at)::float8 end as waited,
  null::text as definition_id, null::text as business_key, j.effect_key, j.payload as variables, j.trace_context,
  null::bigint as xmin, null::bigint as xmax

-- name: lockPaces
select d.name from millrace.downstreams d, (select set_config('synchronous_commit',
  case when @isDurable::boolean then current_setting('synchronous_commit') else 'off' end, true)) as relaxed
where d.name = any(@names::text[]) order by d.name for update of d

-- name: readPaces
-- A statement of its own after the lock, so that it sees what the last holder of the lock has left.
select d.name, d.per_second, d.concurrency, d.share,
  extract(epoch from t.now - d.slowed_at)::float8 * 1000 as slowed_ms_ago,
  extract(epoch from t.now - d.spent_until)::float8 * 1000 as saved_ms,
  extract(epoch from d.closed_until - t.now)::float8 * 1000 as closed_ms,
  case when d.concurrency is null then 0
    else (select count(*) from millrace.jobs j where j.downstream = d.name and j.status = 'leased') end as in_flight
from millrace.downstreams d, (select millrace.clock() as now) t
where d.name = any(@names::text[])

-- name: spendPaces
-- spent_until is the time up to which the rate is used: each job moves it ahead by its share of a second. What lies
-- between it and now may be spent; more than one slice is never saved up.
update millrace.downstreams d
set spent_until = greatest(d.spent_until, (select millrace.clock()) - x.slice_ms * interval '1 ms')
  + x.spent_ms * interval '1 ms'
from @spendings as x (name text, slice_ms float8, spent_ms float8)
where d.name = x.name

-- name: slowDown
-- The share of a downstream shrinks at most once a second: a hundred jobs that are told the same at once say one thing.
with pushed as (
  select j.downstream, max(y.closed_ms) as closed_ms
  from @pushes as y (instance_id text, execution integer, closed_ms float8)
  join millrace.jobs j on j.instance_id = y.instance_id and j.execution = y.execution
  group by j.downstream
)
update millrace.downstreams d
set share = case when d.slowed_at < t.now - interval '1 s' then greatest(@leastShare::float8,
    least(1, d.share + @recoveryPerSecond::float8 * extract(epoch from t.now - d.slowed_at)) * @factor::float8
  ) else d.share end,
  slowed_at = case when d.slowed_at < t.now - interval '1 s' then t.now else d.slowed_at end,
  closed_until = greatest(d.closed_until, t.now + x.closed_ms * interval '1 ms')
from pushed x, (select millrace.clock() as now) t
where d.name = x.downstream and d.adaptive

-- name: insertLeasedJobs
with made as (
  insert into millrace.jobs (
    instance_id, execution, queue_id, status, seq, step_id, retries_left, run_ms, created_at, downstream,
    effect_key, epoch, nonce, worker_id, seen_version, lease_ms, lease_until, run_until, claimed_at
  )
  select x.instance_id, x.execution, x.queue_id, 'leased', nextval('millrace.job_seq'), x.step_id, x.retries, x.run_ms,
    x.created_at, x.downstream, x.effect_key, 1, x.nonce, x.worker_id, i.version, x.lease_ms,
    t.now + least(x.lease_ms, x.run_ms) * interval '1 ms', t.now + x.run_ms * interval '1 ms', t.now
  from @jobs as x (
    instance_id text, execution integer, queue_id integer, step_id text, retries integer, run_ms integer,
    created_at timestamptz, downstream text, effect_key text, nonce uuid, worker_id text, lease_ms integer
  )
  join millrace.instances i on i.id = x.instance_id
  cross join (select millrace.clock() as now) t
  returning instance_id, execution, queue_id, step_id, effect_key, epoch, nonce, retries_left, lease_until, run_ms
),
-- The depth of the queues grows with them.
counted as (insert into millrace.depth_deltas (queue_id, delta) select queue_id, count(*) from made group by queue_id)
select j.*, i.definition_id, i.business_key, coalesce(i.variables, i.input) as variables, i.trace_context
from made j
join millrace.instances i on i.id = j.instance_id

-- name: giveBackJobs
-- This delivery does not count: the next one has the same number, with another nonce.
update millrace.jobs j
set status = 'ready', seq = nextval('millrace.job_seq'), epoch = j.epoch - 1, nonce = null, lease_until = null,
  run_until = null
from @leases as x (instance_id text, execution integer, epoch integer, nonce uuid)
where j.instance_id = x.instance_id and j.execution = x.execution
  and j.status = 'leased' and j.epoch = x.epoch and j.nonce = x.nonce

-- name: anyHeld
select exists (
  select from @leases as x (instance_id text, execution integer, epoch integer, nonce uuid)
  cross join lateral millrace.live_jobs_of(x.instance_id) j
  where j.execution = x.execution and j.status = 'leased' and j.epoch = x.epoch and j.nonce = x.nonce
) as held

-- name: lookAgain
-- After a claim that found nothing: whether other claims have locked what is ready, and the mark of all queues. It is
-- another mark (see `listQueues`) when another process has made a queue.
select exists (
  select from unnest(@queueIds::integer[], @after::bigint[]) as w (queue_id, after)
  cross join lateral (
    select 1 from millrace.jobs j where j.queue_id = w.queue_id and j.status = 'ready' and j.seq > w.after limit 1
  ) ready
) as ready,
(select sum(hashint4(case when q.retired_at is null then q.id else -q.id end)) from millrace.queues q) as queues
